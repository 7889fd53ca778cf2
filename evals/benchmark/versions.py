"""Versions of benchmarks as the log has them, how often each was asked, and whether its file is still what was frozen.

A version is the frozen set of its spec (`sets/<sha256>.parquet`): a change of one byte is another SHA-256.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ingest.home import Home
from ingest.log import EventLog, replay
from models.errors import BadEvent, TerminalError
from models.events import parse
from models.events.benchmark import BenchmarkFrozen, BenchmarkUsed
from models.events.spec import SpecRetired
from models.ids import event_id
from stats.wear import Uses, is_worn, spent, uses_left, width

SOURCE = "flywheel/bench"


class Version(NamedTuple):
    """A frozen version, and what it was asked since."""

    frozen: BenchmarkFrozen
    uses: tuple[BenchmarkUsed, ...] = ()
    """One a job: what it told, where that is known."""
    answered: frozenset[str] = frozenset()
    """Jobs whose answer was given."""
    before: tuple[BenchmarkUsed, ...] = ()
    """Of earlier versions that it shares samples with."""
    retired: str | None = None
    """Why its spec no longer stands: a part of it was erased."""

    @property
    def name(self) -> str:
        """As in `regressions v2`."""
        return f"{self.frozen.benchmark} v{self.frozen.version}"

    @property
    def asked(self) -> Uses:
        """What was answered until now of its samples."""
        return uses_of((*self.before, *self.uses))

    def asked_before(self, job_id: str) -> Uses:
        """The same without what one job was told."""
        return uses_of(use for use in (*self.before, *self.uses) if use.job_id != job_id)

    @property
    def effective(self) -> float:
        """Independent samples that it is worth."""
        return self.frozen.effective or float(self.frozen.clusters)


class Wear(NamedTuple):
    """How wide the next interval of a version is, where the mean is a half; 0 to 1."""

    first: float
    """At its first use."""
    now: float
    worn: bool
    decisions_left: int
    """Decisions that say no until it is worn, 1,000 at most."""
    looks_left: int


def versions(log: EventLog) -> list[Version]:
    """Every frozen version, by name and number. Of two freezes of one version the first counts."""
    frozen: dict[tuple[str, int], BenchmarkFrozen] = {}
    uses: dict[tuple[str, int], dict[str, BenchmarkUsed]] = {}
    retired: dict[str, str] = {}
    answered: set[str] = set()
    for record in replay(log, "specs"):
        try:
            event = parse(record.value, record.headers)
        except BadEvent:
            continue
        if isinstance(event, BenchmarkFrozen):
            frozen.setdefault((event.benchmark, event.version), event)
        elif isinstance(event, BenchmarkUsed):
            own = uses.setdefault((event.benchmark, event.version), {})
            said = own.setdefault(event.job_id or event.id, event)
            if said.better is None and event.better is not None:
                own[event.job_id or event.id] = event
            if event.job_id and event.id == answer_id(event.job_id):
                answered.add(event.job_id)
        elif isinstance(event, SpecRetired):
            retired.setdefault(event.spec_id, event.reason)
    found: dict[tuple[str, int], Version] = {}
    for (name, number), event in sorted(frozen.items()):
        shared = sorted(_reached(name, event, frozen) - {number})
        found[name, number] = Version(
            event,
            tuple(uses.get((name, number), {}).values()),
            frozenset(answered.intersection(uses.get((name, number), {}))),
            tuple(use for each in shared for use in uses.get((name, each), {}).values()),
            retired.get(event.spec_id or ""),
        )
    return list(found.values())


def _reached(name: str, event: BenchmarkFrozen, frozen: Mapping[tuple[str, int], BenchmarkFrozen]) -> set[int]:
    """The versions that `event` shares samples with, and those that these do, itself among them.

    What was told of a sample was told by all that had been asked then.
    """
    found = {event.version}
    for each in event.shares:
        if each < event.version and (name, each) in frozen:
            found |= _reached(name, frozen[name, each], frozen)
    return found


def use_id(job_id: str) -> str:
    """The id of the event that says that a job uses a benchmark."""
    return event_id("benchmark", "used", job_id)


def answer_id(job_id: str) -> str:
    """The id of the event that says that its answer was given, with what a decision told."""
    return event_id("benchmark", "used", job_id, "answered")


def uses_of(events: Iterable[BenchmarkUsed]) -> Uses:
    """What these uses told."""
    found = list(events)
    decisions = [event.better for event in found if event.purpose == "decision"]
    return Uses(
        decisions=sum(better is not None for better in decisions),
        better=sum(better is True for better in decisions),
        looks=sum(event.purpose == "look" for event in found),
        unsaid=sum(better is None for better in decisions),
    )


def wear(version: Version) -> Wear:
    """See `stats.wear`."""
    n, asked, sees = version.effective, version.asked, version.frozen.sees
    return Wear(
        width(n),
        width(n, spent(asked)),
        is_worn(n, asked, sees),
        uses_left(n, asked, sees),
        uses_left(n, asked, sees, looks=True),
    )


def find(log: EventLog, name: str, number: int | None = None) -> Version:
    """The version of that number, or the newest. Raises TerminalError naming those there are."""
    known = versions(log)
    found = [each for each in known if each.frozen.benchmark == name and number in (None, each.frozen.version)]
    if not found:
        wanted = name if number is None else f"{name} v{number}"
        others = ", ".join(each.name for each in known) or "none"
        raise TerminalError(f"{wanted} is not frozen; frozen: {others}. flywheel bench freeze {name}")
    return found[-1]


def content_of(home: Home, version: Version) -> bytes:
    """The file of a version, as it was frozen.

    Raises TerminalError where it is gone, or was changed since: with the file and both digests.
    """
    frozen = version.frozen
    file = home.sets / f"{frozen.sha256}.parquet"
    if version.retired:
        raise TerminalError(
            f"benchmark {version.name} no longer stands: {version.retired}. flywheel bench freeze {frozen.benchmark}"
        )
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        raise TerminalError(
            f"benchmark {version.name}: its file {file} is gone. Restore it from a copy; flywheel bench freeze "
            f"{frozen.benchmark} makes it again, if the draft is the same; or flywheel bench retire ends the version"
        ) from None
    found = hashlib.sha256(content).hexdigest()
    if found != frozen.sha256:
        raise TerminalError(
            f"benchmark {version.name} was changed after it was frozen: {file} has SHA-256 {found}, frozen was "
            f"{frozen.sha256}. Restore it from a copy; or remove it: flywheel bench freeze {frozen.benchmark} makes "
            "it again, if the draft is the same; or flywheel bench retire ends the version"
        )
    return content


def canary_of(home: Home, name: str, number: int) -> str:
    """What stands in every sample of this home's version, and in no other text: no training may hold it."""
    return f"flywheel-canary-{event_id('canary', str(home.facts()['home_id']), name, number)}"
