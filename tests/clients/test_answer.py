"""Only the collector's word on an event settles it; pauses grow, vary, and keep to what the server asks."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from flywheel_client.answer import Later, Settled, Split, meaning
from flywheel_client.retries import asked_for, pause


def answered(*states: str, **more: Any) -> bytes:
    entries = [
        {"index": i, "id": f"e{i}", "source": "s", "state": state, "reason": "why"} for i, state in enumerate(states)
    ]
    return json.dumps({"events": entries, **more}).encode()


def test_states_are_taken_event_by_event():
    said = meaning(202, None, answered("accepted", "duplicate", "refused"), 3)
    assert isinstance(said, Settled)
    assert [state for state, _ in said.states.values()] == ["accepted", "duplicate", "refused"]
    assert said.states[2] == ("refused", "why")
    for status in (400, 403, 413):
        assert isinstance(meaning(status, None, answered("refused"), 1), Settled)


def test_an_event_that_the_answer_leaves_out_is_not_settled():
    said = meaning(202, None, answered("accepted"), 3)
    assert isinstance(said, Settled)
    assert said.states.keys() == {0}


def test_a_body_that_could_not_be_read_says_nothing_about_its_first_event():
    """The collector answers with one entry then, whatever the number of events."""
    assert isinstance(meaning(400, None, answered("refused"), 5), Split)
    assert isinstance(meaning(413, None, b'{"reason": "the body has more than 8 MB"}', 5), Split)


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_bad_hour_passes(status: int):
    assert meaning(status, "7", b"", 1) == Later(f"status {status}: ", "7", ours=False)


@pytest.mark.parametrize("status", [200, 204, 301, 401, 403, 404, 405, 415])
def test_what_is_not_the_collectors_word_settles_nothing_and_is_ours_to_mend(status: int):
    for body in (b"<html>please log in</html>", b"[]", b'{"events": 5}', b"\xff", b""):
        said = meaning(status, None, body, 1)
        assert isinstance(said, Later)
        assert said.ours


@pytest.mark.parametrize(
    "entry", [{}, 5, {"index": 9, "state": "accepted"}, {"index": True}, {"index": 0, "state": "ok"}]
)
def test_entries_that_make_no_sense_settle_nothing(entry: Any):
    assert isinstance(meaning(202, None, json.dumps({"events": [entry]}).encode(), 1), Later)


def test_pauses_grow_to_their_bound_and_vary():
    for failures in range(1, 100):
        drawn = {pause(failures, 0.25, 30, None) for _ in range(20)}
        assert len(drawn) > 1
        assert all(0 < seconds <= min(30, 0.25 * 2 ** (failures - 1)) for seconds in drawn)


def test_a_pause_is_never_shorter_than_asked():
    assert all(5 <= pause(1, 0.25, 30, 5) <= 6 for _ in range(20))


def test_retry_after_is_a_number_or_a_date():
    assert asked_for("3") == 3
    assert asked_for("-3") == 0
    assert asked_for("1e9") == 600
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    assert 90 < (asked_for(soon) or 0) <= 100
    for nothing in (None, "", "soon", "nan", "inf"):
        assert asked_for(nothing) is None
