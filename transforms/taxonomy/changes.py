"""What a person asks of the taxonomy, as events; refused in a line where it makes no sense. Pure: it writes nothing."""

import difflib
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from models.errors import TerminalError
from models.events.taxonomy import (
    ModeAccepted,
    ModeMerged,
    ModePart,
    ModeRejected,
    ModeRenamed,
    ModeRetired,
    ModeSplit,
    ProposalRejected,
)
from models.feedback import LONGEST_NAME
from models.ids import event_id
from transforms.taxonomy.fold import Mode, Proposal, Taxonomy

SOURCE = "flywheel/modes"


class Word(NamedTuple):
    """Who says something of the taxonomy, when, and why."""

    by: str
    at: datetime
    reason: str | None = None

    def event_id(self, *parts: str) -> str:
        """An id of its own for each time that the same is said: what was undone may be done again."""
        return event_id(*parts, self.by, self.at.isoformat())


def find(known: Taxonomy, wanted: str) -> Mode:
    """The mode with this id, or this name in any case. Raises TerminalError that names the nearest."""
    if wanted in known.modes:
        return known.modes[wanted]
    named = [mode for mode in known.modes.values() if mode.name.casefold() == wanted.casefold()]
    named = [mode for mode in named if mode.stands] or named
    if len(named) == 1:
        return named[0]
    if named:
        raise TerminalError(f"{wanted!r} is the name of several modes: {_ids(named)}; say which by its id")
    words = {mode.mode_id: mode.mode_id for mode in known.modes.values()}
    words |= {mode.name.casefold(): mode.mode_id for mode in known.modes.values()}
    near = dict.fromkeys(words[word] for word in difflib.get_close_matches(wanted.casefold(), words, n=5))
    hint = f"near it: {', '.join(near)}" if near else "flywheel modes list --all shows them"
    raise TerminalError(f"there is no failure mode {wanted!r}; {hint}")


def accept(known: Taxonomy, wanted: str, word: Word) -> ModeAccepted | ModeMerged | ModeSplit:
    """Accept a mode, or a proposed merge or split by its id. Raises TerminalError for what stands already."""
    if proposal := _proposal(known, wanted):
        if proposal.kind == "merge":
            return _merged(proposal.mode_id, proposal.others, word, proposal.proposal_id)
        return _split(
            proposal.mode_id, [ModePart(mode_id=part) for part in proposal.others], word, proposal.proposal_id
        )
    mode = find(known, wanted)
    if mode.stands and mode.status != "proposed":
        raise TerminalError(f"{_called(mode)} is {mode.status} already: there is nothing to accept")
    for each in known.waiting():
        if each.kind == "split" and mode.mode_id in each.others:
            raise TerminalError(
                f"{_called(mode)} is a part of the proposed split of {each.mode_id}: accept that, {each.proposal_id}"
            )
    return ModeAccepted(
        id=word.event_id("mode_accepted", mode.mode_id), source=SOURCE, occurred_at=word.at, mode_id=mode.mode_id,
        accepted_by=word.by, reason=word.reason or "by hand",
    )  # fmt: skip


def reject(known: Taxonomy, wanted: str, word: Word) -> ModeRejected | ProposalRejected:
    """Reject a proposed mode, or a proposed merge or split by its id. Raises TerminalError for any other mode."""
    if proposal := _proposal(known, wanted):
        return ProposalRejected(
            id=word.event_id("proposal_rejected", proposal.proposal_id), source=SOURCE, occurred_at=word.at,
            proposal_id=proposal.proposal_id, rejected_by=word.by, reason=word.reason,
        )  # fmt: skip
    mode = find(known, wanted)
    if mode.status != "proposed":
        raise TerminalError(f"{_called(mode)} is {_state(mode)}, not proposed: to end it, flywheel modes retire")
    return ModeRejected(
        id=word.event_id("mode_rejected", mode.mode_id), source=SOURCE, occurred_at=word.at, mode_id=mode.mode_id,
        rejected_by=word.by, reason=word.reason,
    )  # fmt: skip


def merge(known: Taxonomy, wanted: Sequence[str], into: str, word: Word) -> ModeMerged:
    """Merge modes into another. Raises TerminalError where one is it, is merged or ended, or the target can't count."""
    target = _standing(known, into, "can't be merged into")
    if target.status == "proposed":
        raise TerminalError(f"{_called(target)} is only proposed: accept it before others are merged into it")
    merged = [_standing(known, each, "can't be merged") for each in wanted]
    if target in merged:
        raise TerminalError(f"{_called(target)} can't be merged into itself")
    return _merged(target.mode_id, list(dict.fromkeys(mode.mode_id for mode in merged)), word)


def split(known: Taxonomy, wanted: str, parts: Sequence[ModePart], word: Word) -> ModeSplit:
    """Split a mode into parts, new or known. Raises TerminalError for fewer than two, and for names that are taken."""
    mode = _standing(known, wanted, "can't be split")
    if len({part.mode_id for part in parts}) < 2 or len({part.mode_id for part in parts}) < len(parts):
        raise TerminalError(f"a split needs two parts or more, all different: {[part.mode_id for part in parts]}")
    for part in parts:
        if part.mode_id == mode.mode_id:
            raise TerminalError(f"{_called(mode)} can't be a part of itself: give each part another id")
        there = known.modes.get(part.mode_id)
        if there is None and part.name is None:
            raise TerminalError(f"the part {part.mode_id!r} is a new mode: give it a name")
        if there is not None and there.status in ("merged", "retired"):
            raise TerminalError(f"{_called(there)} is {_state(there)}: accept it before it can be a part")
        if part.name is not None:
            free_name(known, part.name, part.mode_id, mode.mode_id)
    return _split(mode.mode_id, parts, word)


def rename(known: Taxonomy, wanted: str, name: str, word: Word) -> ModeRenamed:
    """Give a mode another name. Raises TerminalError where it is taken, or the mode's own already."""
    mode = find(known, wanted)
    name = " ".join(name.split())
    if not 1 <= len(name) <= LONGEST_NAME:
        raise TerminalError(
            f"a name has 1 to {LONGEST_NAME} characters, not {len(name)}: {_called(mode)} keeps its own"
        )
    if name == mode.name:
        raise TerminalError(f"{_called(mode)} has that name already")
    free_name(known, name, mode.mode_id)
    return ModeRenamed(
        id=word.event_id("mode_renamed", mode.mode_id, name), source=SOURCE, occurred_at=word.at,
        mode_id=mode.mode_id, name=name, renamed_by=word.by, reason=word.reason,
    )  # fmt: skip


def retire(known: Taxonomy, wanted: str, word: Word) -> ModeRetired:
    """End a mode. Raises TerminalError for one that has ended."""
    mode = find(known, wanted)
    if mode.status == "retired":
        raise TerminalError(f"{_called(mode)} is {_state(mode)} already")
    return ModeRetired(
        id=word.event_id("mode_retired", mode.mode_id), source=SOURCE, occurred_at=word.at, mode_id=mode.mode_id,
        retired_by=word.by, reason=word.reason,
    )  # fmt: skip


def free_name(known: Taxonomy, name: str, *owners: str) -> None:
    """Raises TerminalError where a mode that stands, other than `owners`, has this name in any case."""
    for mode in known.modes.values():
        if mode.stands and mode.mode_id not in owners and mode.name.casefold() == name.casefold():
            raise TerminalError(f"the name {name!r} is taken by {mode.mode_id}: choose another, or merge the two")


def _proposal(known: Taxonomy, wanted: str) -> Proposal | None:
    """The merge or split with this id that waits. Raises TerminalError for one that does not wait any more."""
    for each in known.waiting():
        if each.proposal_id == wanted:
            return each
    if known.was_proposed(wanted):
        raise TerminalError(f"the proposal {wanted} was answered, or its modes have ended: nothing waits under it")
    return None


def _standing(known: Taxonomy, wanted: str, what: str) -> Mode:
    mode = find(known, wanted)
    if mode.status == "merged":
        today = known.successor(mode.mode_id) or "none"
        raise TerminalError(f"{_called(mode)} {what}: it is {_state(mode)}, and counts as {today}")
    if not mode.stands:
        raise TerminalError(f"{_called(mode)} {what}: it is {_state(mode)}; flywheel modes accept brings it back")
    return mode


def _merged(target: str, modes: Sequence[str], word: Word, proposal_id: str | None = None) -> ModeMerged:
    return ModeMerged(
        id=word.event_id("mode_merged", target, *modes), source=SOURCE, occurred_at=word.at, mode_id=target,
        merged=tuple(modes), merged_by=word.by, reason=word.reason, proposal_id=proposal_id,
    )  # fmt: skip


def _split(mode_id: str, parts: Sequence[ModePart], word: Word, proposal_id: str | None = None) -> ModeSplit:
    return ModeSplit(
        id=word.event_id("mode_split", mode_id), source=SOURCE, occurred_at=word.at, mode_id=mode_id,
        parts=tuple(parts), split_by=word.by, reason=word.reason, proposal_id=proposal_id,
    )  # fmt: skip


def _state(mode: Mode) -> str:
    if mode.merged_into:
        return f"merged into {mode.merged_into}"
    if mode.split_into:
        return f"split into {', '.join(mode.split_into)}"
    return f"proposed as a part of {mode.part_of}" if mode.part_of and mode.status == "proposed" else mode.status


def _called(mode: Mode) -> str:
    return mode.mode_id if mode.mode_id == mode.name else f"{mode.mode_id} ({mode.name})"


def _ids(modes: Sequence[Mode]) -> str:
    return ", ".join(mode.mode_id for mode in modes)
