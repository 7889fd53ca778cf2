"""The taxonomy follows the order of the log, and what makes no sense at its turn says nothing."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
from transforms.taxonomy.fold import Taxonomy, fold, seeded_modes

NOON = datetime(2026, 11, 3, 12, tzinfo=UTC)
LENGTH = "communication"


def folded(*events: AnyEvent) -> Taxonomy:
    timed = [
        (event.model_copy(update={"id": f"{place}"}), NOON + timedelta(seconds=place))
        for place, event in enumerate(events)
    ]
    return fold(seeded_modes(), timed)


def proposed(mode_id: str, **fields: Any) -> ModeProposed:
    return ModeProposed(
        id="-", source="t", mode_id=mode_id, discovery_id="d", name=mode_id, terms=("llama",), centroid=(1.0, 0.0),
        cohesion=0.8, embedding="e", member_keys=("app|1", "app|2"), medoid_key="app|1", **fields,
    )  # fmt: skip


def merged(target: str, *modes: str) -> ModeMerged:
    return ModeMerged(id="-", source="t", mode_id=target, merged=modes, merged_by="ann")


def accepted(mode_id: str, by: str = "ann") -> ModeAccepted:
    return ModeAccepted(id="-", source="t", mode_id=mode_id, accepted_by=by, reason="clear")


def retired(mode_id: str) -> ModeRetired:
    return ModeRetired(id="-", source="t", mode_id=mode_id, retired_by="ann", reason="unused")


def rejected(mode_id: str) -> ModeRejected:
    return ModeRejected(id="-", source="t", mode_id=mode_id, rejected_by="ann")


def split(mode_id: str, *parts: ModePart) -> ModeSplit:
    return ModeSplit(id="-", source="t", mode_id=mode_id, parts=parts, split_by="ann")


def test_a_merge_is_followed_to_its_end_and_counts_for_nothing_once_that_is_retired() -> None:
    known = folded(proposed("a"), accepted("a"), merged("a", "refusals"), merged(LENGTH, "a"))
    assert [known.successor(mode) for mode in ("refusals", "a", LENGTH)] == [LENGTH] * 3
    assert known.modes["refusals"].merged_into == "a"
    known.add(retired(LENGTH), NOON)
    assert [known.successor(mode) for mode in ("refusals", "a", LENGTH)] == [None] * 3


def test_no_cycle_of_merges_comes_about_whatever_is_on_the_log() -> None:
    known = folded(
        merged(LENGTH, "refusals"), merged("refusals", LENGTH), merged("tool_use", "tool_use"), merged("?", LENGTH)
    )
    assert known.successor("refusals") == known.successor(LENGTH) == LENGTH
    assert known.successor("tool_use") == "tool_use"


@pytest.mark.parametrize("end", [retired("a"), rejected("a"), merged(LENGTH, "a")], ids=lambda event: event.type)
def test_a_person_brings_back_what_ended_and_the_rule_does_not(end: AnyEvent) -> None:
    ended = folded(proposed("a"), end)
    assert ended.successor("a") in (None, LENGTH)
    assert folded(proposed("a"), end, accepted("a", "rule")).successor("a") == ended.successor("a")
    back = folded(proposed("a"), end, accepted("a"))
    assert (back.modes["a"].status, back.successor("a"), back.modes["a"].merged_into) == ("accepted", "a", None)


def test_only_what_is_proposed_can_be_rejected_and_a_seeded_mode_stays_seeded() -> None:
    assert folded(rejected(LENGTH)).modes[LENGTH].status == "seeded"
    assert folded(retired(LENGTH), accepted(LENGTH)).modes[LENGTH].status == "seeded"


def test_a_split_ends_the_mode_and_makes_its_parts() -> None:
    new = ModePart(mode_id="tone", name="Tone", examples=("Too cold.",), example_keys=("app|1",))
    known = folded(
        proposed("short", part_of=LENGTH), split(LENGTH, ModePart(mode_id="short"), new, ModePart(mode_id=LENGTH))
    )
    whole, short, tone = (known.modes[mode] for mode in (LENGTH, "short", "tone"))
    assert (whole.status, whole.split_into, known.successor(LENGTH)) == ("retired", ("short", "tone"), None)
    assert (short.status, short.name, short.parent, known.successor("short")) == (
        "accepted",
        "short",
        "answer",
        "short",
    )
    assert (tone.origin, tone.examples, tone.example_keys) == ("team", ("Too cold.",), ("app|1",))


def test_a_part_waits_for_the_split_and_the_rule_alone_does_not_accept_it() -> None:
    known = folded(proposed("short", part_of=LENGTH), accepted("short", "rule"))
    assert known.successor("short") is None


def test_the_last_definition_counts_whole_and_a_reserved_name_defines_nothing() -> None:
    def defined(mode_id: str, **fields: Any) -> ModeDefined:
        return ModeDefined(id="-", source="t", mode_id=mode_id, defined_by="ann", **fields)

    known = folded(
        defined("billing", name="Billing", definition="Wrong invoices.", examples=("Charged twice.",)),
        defined("billing", name="Invoices", owner="money"),
        defined(LENGTH, name="Length", parent="answer", owner="style"),
        defined("praise", name="Praise"),
    )
    billing = known.modes["billing"]
    assert (billing.name, billing.definition, billing.examples, billing.owner) == ("Invoices", None, (), "money")
    assert (billing.status, billing.origin) == ("accepted", "team")
    assert (known.modes[LENGTH].status, known.modes[LENGTH].origin) == ("seeded", "seeded")
    assert "praise" not in known.modes


def test_a_proposal_waits_until_it_is_answered_or_can_no_longer_be_carried_out() -> None:
    asked: dict[str, Any] = {"id": "-", "source": "t", "discovery_id": "d", "closeness": 0.7, "reason": "near"}
    merge = MergeProposed(proposal_id="m", mode_id=LENGTH, merged=("a",), **asked)
    parting = SplitProposed(proposal_id="s", mode_id=LENGTH, part_ids=("b", "c"), **asked)
    parts = (proposed("b", part_of=LENGTH), proposed("c", part_of=LENGTH))
    events = (proposed("a"), *parts, merge, parting)
    assert [each.proposal_id for each in folded(*events).waiting()] == ["m", "s"]
    no = ProposalRejected(id="-", source="t", proposal_id="s", rejected_by="ann")
    assert [each.proposal_id for each in folded(*events, no).waiting()] == ["m"]
    assert folded(*events, retired(LENGTH)).waiting() == []
    assert [each.proposal_id for each in folded(*events, rejected("a"), rejected("b")).waiting()] == []
    assert [each.proposal_id for each in folded(*events, merged(LENGTH, "a")).waiting()] == ["s"]


def _merged_of(target: str, modes: list[str]) -> ModeMerged:
    return merged(target, *modes)


def _split_into(whole: str, parts: list[str]) -> ModeSplit:
    return split(whole, *(ModePart(mode_id=part) for part in parts))


IDS = st.sampled_from(["a", "b", "c", LENGTH, "refusals", "praise", "nobody"])
EVENTS = st.one_of(
    st.builds(proposed, IDS, part_of=st.none() | IDS),
    st.builds(accepted, IDS, st.sampled_from(["ann", "rule"])),
    st.builds(retired, IDS),
    st.builds(rejected, IDS),
    st.builds(_merged_of, IDS, st.lists(IDS, min_size=1, max_size=3)),
    st.builds(_split_into, IDS, st.lists(IDS, min_size=1, max_size=3)),
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(EVENTS, max_size=12))
def test_whatever_the_log_holds_each_mode_counts_as_one_that_stands_or_as_none(events: list[AnyEvent]) -> None:
    known = folded(*events)
    for mode in known.modes.values():
        today = known.successor(mode.mode_id)
        assert today is None or known.modes[today].stands
        assert (today == mode.mode_id) == mode.stands
        assert (mode.merged_into is not None) == (mode.status == "merged")
        assert not mode.split_into or mode.status == "retired"
    assert "praise" not in known.modes


def test_history_tells_who_did_what_in_order_and_a_copy_counts_once() -> None:
    events = (
        (proposed("a"), NOON),
        (ModeRenamed(id="r", source="t", mode_id="a", name="Llama", renamed_by="bob", reason="clearer"), NOON),
        (ModeRenamed(id="r", source="t", mode_id="a", name="Llama", renamed_by="bob", reason="clearer"), NOON),
        (merged(LENGTH, "a").model_copy(update={"id": "m"}), NOON),
    )
    known = fold(seeded_modes(), events)
    assert [(change.by, change.said) for change in known.modes["a"].history] == [
        ("d", "proposed: 2 comments"),
        ("bob", "renamed from 'a' to 'Llama': clearer"),
        ("ann", "merged into communication (Communication)"),
    ]
    assert known.modes[LENGTH].history[-1].said == "a (Llama) merged into it"
