"""Which failure modes there are, by the events of `taxonomy` in order. Pure; shared by the commands and the build.

The order decides, and what makes no sense at its turn (an unknown mode, a mode merged into what is merged into it) says
nothing: the log may hold what no command of ours would write. Labels of texts are not read here; SQL does that.
"""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final, Literal, NamedTuple

from models.events import AnyEvent
from models.events.taxonomy import (
    MergeProposed,
    ModeAccepted,
    ModeDefined,
    ModeMerged,
    ModePart,
    ModeProposed,
    ModeRejected,
    ModeRenamed,
    ModeRetired,
    ModeSplit,
    ProposalRejected,
    SplitProposed,
)

RULE: Final = "rule"
"""Who accepts where no person does: only what still waits for an answer."""
RESERVED: Final = frozenset({"praise", "other"})
"""Classes of the classifier that are no failure modes."""
SEEDS: Final = Path(__file__).parents[1] / "seeds" / "failure_modes.csv"

Status = Literal["seeded", "proposed", "accepted", "merged", "retired"]
Origin = Literal["seeded", "team", "discovered"]


class Change(NamedTuple):
    """What happened to a mode."""

    at: datetime
    by: str
    said: str


@dataclass
class Mode:
    """A failure mode as it stands."""

    mode_id: str
    name: str
    status: Status
    origin: Origin
    parent: str | None = None
    definition: str | None = None
    not_this: str | None = None
    owner: str | None = None
    terms: tuple[str, ...] = ()
    merged_into: str | None = None
    split_into: tuple[str, ...] = ()
    part_of: str | None = None
    """The mode of whose split it would be a part; None once that has happened."""
    examples: tuple[str, ...] = ()
    """The team's own, beside those that a seeded mode comes with."""
    example_keys: tuple[str, ...] = ()
    member_keys: tuple[str, ...] = ()
    """Comments that a discovered one was made of."""
    history: list[Change] = field(default_factory=list["Change"])

    @property
    def stands(self) -> bool:
        """Whether comments can show it: what is proposed as part of a split waits until that is accepted."""
        return self.status in ("seeded", "accepted") or (self.status == "proposed" and self.part_of is None)


class Proposal(NamedTuple):
    """A merge or a split that waits for an answer."""

    proposal_id: str
    kind: Literal["merge", "split"]
    mode_id: str
    """The target of a merge; what is to be split."""
    others: tuple[str, ...]
    """What is to be merged into it; the parts."""
    closeness: float
    reason: str
    discovery_id: str


class Taxonomy:
    """Modes by id, in the order in which they came, the seeded ones first; and the proposals, answered or not."""

    def __init__(self, seeds: Iterable[Mapping[str, str]]) -> None:
        """`seeds` are rows with mode_id, name, parent, definition, not_this."""
        self.modes: dict[str, Mode] = {
            row["mode_id"]: Mode(
                row["mode_id"], row["name"], "seeded", "seeded", row["parent"], row["definition"], row["not_this"]
            )
            for row in seeds
        }
        self.proposals: dict[str, Proposal] = {}
        self._answered: set[str] = set()

    def successor(self, mode_id: str) -> str | None:
        """The mode that `mode_id` counts as today: itself, what it was merged into at last, or None."""
        mode = self.modes.get(mode_id)
        while mode is not None and mode.status == "merged":
            mode = self.modes.get(mode.merged_into or "")
        return mode.mode_id if mode is not None and mode.stands else None

    def waiting(self) -> list[Proposal]:
        """Merges and splits without an answer that could still be carried out, as they came."""
        return [each for each in self.proposals.values() if each.proposal_id not in self._answered and self._fits(each)]

    def was_proposed(self, proposal_id: str) -> bool:
        """Whether a discovery has proposed it before, whatever became of it."""
        return proposal_id in self.proposals

    def add(self, event: AnyEvent, at: datetime) -> None:
        """The next event of the log."""
        match event:
            case ModeProposed():
                self._proposed(event, at)
            case ModeDefined():
                self._defined(event, at)
            case ModeAccepted():
                self._accepted(event, at)
            case ModeRejected() | ModeRetired():
                self._ended(event, at)
            case ModeRenamed():
                self._renamed(event, at)
            case ModeMerged():
                self._merged(event, at)
            case ModeSplit():
                self._split(event, at)
            case MergeProposed():
                self._asked(event, "merge", event.merged)
            case SplitProposed():
                self._asked(event, "split", event.part_ids)
            case ProposalRejected():
                self._answered.add(event.proposal_id)
            case _:
                pass

    def _proposed(self, event: ModeProposed, at: datetime) -> None:
        if event.mode_id in self.modes or event.mode_id in RESERVED:
            return
        mode = Mode(
            event.mode_id, event.name, "proposed", "discovered",
            terms=event.terms, member_keys=event.member_keys, part_of=event.part_of,
        )  # fmt: skip
        part = f", as a part of {event.part_of}" if event.part_of else ""
        mode.history.append(Change(at, event.discovery_id, f"proposed{part}: {len(event.member_keys)} comments"))
        self.modes[mode.mode_id] = mode

    def _defined(self, event: ModeDefined, at: datetime) -> None:
        if event.mode_id in RESERVED:
            return
        known = self.modes.get(event.mode_id)
        mode = known or Mode(event.mode_id, event.name, "accepted", "team")
        mode.name, mode.parent, mode.owner = event.name, event.parent, event.owner
        mode.definition, mode.not_this = event.definition, event.not_this
        mode.examples, mode.example_keys = event.examples, event.example_keys
        count = len(event.examples) + len(event.example_keys)
        said = f"defined as {event.name!r}, with {count} examples of the team"
        mode.history.append(Change(at, event.defined_by, said))
        self.modes[mode.mode_id] = mode

    def _accepted(self, event: ModeAccepted, at: datetime) -> None:
        mode = self.modes.get(event.mode_id)
        if mode is None or (event.accepted_by == RULE and (mode.status != "proposed" or mode.part_of)):
            return
        _stand(mode)
        mode.history.append(Change(at, event.accepted_by, f"accepted: {event.reason}"))

    def _ended(self, event: ModeRejected | ModeRetired, at: datetime) -> None:
        mode = self.modes.get(event.mode_id)
        if mode is None or mode.status == "retired":
            return
        if isinstance(event, ModeRejected):
            if mode.status != "proposed":
                return
            by, said = event.rejected_by, "rejected"
        else:
            by, said = event.retired_by, "retired"
        mode.status, mode.merged_into = "retired", None
        mode.history.append(Change(at, by, _because(said, event.reason)))

    def _renamed(self, event: ModeRenamed, at: datetime) -> None:
        if mode := self.modes.get(event.mode_id):
            said = f"renamed from {mode.name!r} to {event.name!r}"
            mode.history.append(Change(at, event.renamed_by, _because(said, event.reason)))
            mode.name = event.name

    def _merged(self, event: ModeMerged, at: datetime) -> None:
        target = self.modes.get(event.mode_id)
        if event.proposal_id:
            self._answered.add(event.proposal_id)
        for mode_id in event.merged if target else ():
            mode = self.modes.get(mode_id)
            if target is None or mode is None or mode_id in self._line_of(target.mode_id):
                continue
            mode.status, mode.merged_into, mode.split_into, mode.part_of = "merged", target.mode_id, (), None
            said = f"merged into {target.mode_id} ({target.name})"
            mode.history.append(Change(at, event.merged_by, _because(said, event.reason)))
            said = f"{mode.mode_id} ({mode.name}) merged into it"
            target.history.append(Change(at, event.merged_by, _because(said, event.reason)))

    def _line_of(self, mode_id: str) -> list[str]:
        """A mode and what it was merged into, and that, and so on."""
        line = [mode_id]
        while (mode := self.modes[line[-1]]).merged_into is not None:
            line.append(mode.merged_into)
        return line

    def _split(self, event: ModeSplit, at: datetime) -> None:
        mode = self.modes.get(event.mode_id)
        if event.proposal_id:
            self._answered.add(event.proposal_id)
        parts = [part for part in event.parts if part.mode_id not in (event.mode_id, *RESERVED)]
        if mode is None or not parts:
            return
        mode.status, mode.merged_into, mode.part_of = "retired", None, None
        mode.split_into = tuple(part.mode_id for part in parts)
        said = "split into " + ", ".join(mode.split_into)
        mode.history.append(Change(at, event.split_by, _because(said, event.reason)))
        for part in parts:
            self._part(part, mode, event.split_by, at)

    def _part(self, part: ModePart, whole: Mode, by: str, at: datetime) -> None:
        known = self.modes.get(part.mode_id)
        mode = known or Mode(part.mode_id, part.name or part.mode_id, "accepted", "team", owner=whole.owner)
        mode.parent = mode.parent or whole.parent
        mode.name = part.name or mode.name
        mode.definition, mode.not_this = part.definition or mode.definition, part.not_this or mode.not_this
        mode.examples = (*mode.examples, *part.examples)
        mode.example_keys = (*mode.example_keys, *part.example_keys)
        _stand(mode)
        mode.history.append(Change(at, by, f"made of a part of {whole.mode_id} ({whole.name})"))
        self.modes[mode.mode_id] = mode

    def _asked(
        self, event: MergeProposed | SplitProposed, kind: Literal["merge", "split"], others: tuple[str, ...]
    ) -> None:
        proposal = Proposal(
            event.proposal_id, kind, event.mode_id, others, event.closeness, event.reason, event.discovery_id
        )
        self.proposals.setdefault(event.proposal_id, proposal)

    def _fits(self, proposal: Proposal) -> bool:
        if self.successor(proposal.mode_id) != proposal.mode_id:
            return False
        others = [self.modes.get(mode_id) for mode_id in proposal.others]
        if proposal.kind == "merge":
            return any(mode is not None and mode.stands for mode in others)
        return all(
            mode is not None and mode.part_of == proposal.mode_id and mode.status == "proposed" for mode in others
        )


def fold(seeds: Iterable[Mapping[str, str]], events: Iterable[tuple[AnyEvent, datetime]]) -> Taxonomy:
    """The taxonomy after `events`, each with its time of arrival, in the order of the log; equal ids count once."""
    known = Taxonomy(seeds)
    seen: set[tuple[str, str]] = set()
    for event, at in events:
        if (event.source, event.id) not in seen:
            seen.add((event.source, event.id))
            known.add(event, at)
    return known


def seeded_modes() -> Sequence[Mapping[str, str]]:
    """The built-in modes, as the dbt seed has them."""
    with SEEDS.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, strict=True))


def _stand(mode: Mode) -> None:
    """The mode counts, for itself."""
    mode.status = "seeded" if mode.origin == "seeded" else "accepted"
    mode.merged_into, mode.split_into, mode.part_of = None, (), None


def _because(said: str, reason: str | None) -> str:
    return f"{said}: {reason}" if reason else said
