"""Freezing a draft: its samples become the set of an eval spec of the key `bench:<name>:v<version>`, for ever.

Nothing queues that spec but `flywheel.benchmarks.asking`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from evals.benchmark.draft import PRIVATE_FILE, drafted, purpose_of
from evals.benchmark.versions import SOURCE, Version, canary_of, content_of, versions
from flywheel.benchmarks.sources import role_of, samples_of
from flywheel.held_out import refusal
from ingest.home import Home
from ingest.jobs.board import Board
from ingest.jobs.samples import TEXTS
from ingest.log import EventLog, publish
from models.errors import TerminalError
from models.events.benchmark import BenchmarkFrozen
from models.events.spec import SpecRetired
from models.ids import event_id
from models.specs import DataRef, EvalSpec, ScorerSpec, TrainingSpec
from stats.wear import effective
from text.held_out import Held, HeldOut, Match
from transforms.specs.publish import issue
from transforms.specs.sets import EPISODES, SCHEMA, freeze, is_kept, keep, texts_of

Rows = Sequence[Mapping[str, Any]]


class Frozen(NamedTuple):
    """What came of a freeze."""

    version: Version
    is_new: bool
    """False: the draft holds exactly what the last version does, whose file is there again if it was gone."""
    gone: list[str]
    """Ids of the draft that are no longer there, or no longer held out: left out."""
    seen: list[Match]
    """Rows of training sets that hold something of a sample, which was left out."""


def freeze_draft(
    home: Home, log: EventLog, name: str, *, replaces: int | None = None, leave_out_seen: bool = False
) -> Frozen:
    """Freeze the draft as the next version: its set, the spec that runs it, and the event.

    A version that `replaces` a worn one holds only samples that no version had. Another may hold those of earlier ones,
    and begins with what these have told. Raises TerminalError for a draft that holds nothing, and HeldOutData where a
    training set that was issued holds something of it, unless such samples are to be left out.
    """
    with home.lock(f"bench-{name}"), home.lock("specs"):
        purpose = purpose_of(home, name)
        known = [each for each in versions(log) if each.frozen.benchmark == name]
        if replaces is not None and replaces not in {each.frozen.version for each in known}:
            there = ", ".join(each.name for each in known) or "none"
            raise TerminalError(f"{name} has no version {replaces} to replace; frozen: {there}")
        number = known[-1].frozen.version + 1 if known else 1
        rows = samples_of(home, log, name)
        gone = sorted({each.id for each in drafted(home, name)} - {row["drafted"] for row in rows})
        seen = _seen(home, log, rows)
        if seen and not leave_out_seen:
            raise refusal(f"{name} v{number} is not frozen: what was issued to be trained on", seen)
        rows = [row for row in rows if row["sample_id"] not in {match.held for match in seen}]
        board = Board(log)
        board.refresh(["specs"])
        had = {each.frozen.version: frozenset(board.specs[str(each.frozen.spec_id)].spec.evidence) for each in known}
        if replaces is not None:
            old = frozenset[str]().union(*had.values())
            worn = len(rows)
            rows = [row for row in rows if row["sample_id"] not in old]
            if worn and not rows:
                raise TerminalError(
                    f"no sample of {name} is fresh: all {worn} were in a version: flywheel bench add {name}"
                )
        if not rows or purpose.scorer is None:
            raise TerminalError(f"the draft of {name} holds nothing to freeze: flywheel bench add {name}")
        ids = {str(row["sample_id"]) for row in rows}
        if known and not known[-1].retired:
            data, content = _set(rows, known[-1].frozen.canary)
            if data.sha256 == known[-1].frozen.sha256:
                if (home.sets / f"{data.sha256}.parquet").exists():
                    content_of(home, known[-1])
                keep(home, data, content, mode=PRIVATE_FILE)
                return Frozen(known[-1], False, gone, seen)
        canary = canary_of(home, name, number)
        data, content = _set(rows, canary)
        spec = EvalSpec(
            key=f"bench:{name}:v{number}", evidence=tuple(sorted(row["sample_id"] for row in rows)), data=data,
            query="bench", taxonomy="bench", role=role_of(purpose.scorer), trials=purpose.trials,
            scorer=ScorerSpec(name=purpose.scorer, args=purpose.args),
        )  # fmt: skip
        sizes = list(Counter(row["group"] for row in rows).values())
        frozen = BenchmarkFrozen(
            id=event_id("benchmark", "frozen", name, number), source=SOURCE, benchmark=name, version=number,
            samples=len(rows), clusters=len(sizes), sha256=data.sha256, spec_id=spec.spec_id(), replaces=replaces,
            shares=tuple(sorted(each for each, theirs in had.items() if theirs & ids)),
            canary=canary, effective=round(effective(sizes), 6), sees=purpose.sees,
        )  # fmt: skip
        keep(home, data, content, mode=PRIVATE_FILE)
        publish(log, [issue(spec, 1), frozen])
        return Frozen(Version(frozen), True, gone, seen)


def retire(log: EventLog, version: Version, reason: str) -> None:
    """End a version: it is run no more, and nothing is compared with it."""
    spec_id = str(version.frozen.spec_id)
    publish(log, [SpecRetired(id=event_id("spec_retired", spec_id), source=SOURCE, spec_id=spec_id, reason=reason)])


def _set(rows: Rows, canary: str | None) -> tuple[DataRef, bytes]:
    # Older sets have no episodes: without any the bytes are what they were.
    schema = pl.Schema({**SCHEMA, **EPISODES}) if any(row.get("episode") for row in rows) else SCHEMA
    values = [[row.get(column) for column in schema.names()] for row in rows]
    return freeze(pl.DataFrame(values, schema=schema, orient="row"), schema, canary=canary)


def _seen(home: Home, log: EventLog, rows: Rows) -> list[Match]:
    """Rows of training sets that were issued and hold something of these samples; `held` is a sample's id."""
    index = HeldOut([Held(row["sample_id"], tuple(str(row[name]) for name in TEXTS if row.get(name))) for row in rows])
    board = Board(log)
    board.refresh(["specs"])
    found: list[Match] = []
    for spec_id, issued in board.specs.items():
        spec = issued.spec
        if isinstance(spec, TrainingSpec) and spec_id not in board.retired and is_kept(home, spec.data):
            content = (home.sets / f"{spec.data.sha256}.parquet").read_bytes()
            found += index.matches((f"{spec.key} {row}", texts) for row, texts in texts_of(content))
    return found
