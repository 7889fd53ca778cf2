"""Slack: what people wrote in a channel, and what was put under it."""

import json
from pathlib import Path
from typing import Any

MESSAGE: dict[str, Any] = {
    "type": "message",
    "user": "U1",
    "text": "It deleted my branch &amp; more <https://example.com/t/1|trace>",
    "ts": "1793750399.000007",
    "thread_ts": "1793750399.000007",
    "reactions": [
        {"name": "+1", "users": ["U2", "U3"], "count": 12},
        {"name": "thumbsdown::skin-tone-3", "users": ["U4"], "count": 1},
    ],
}
REPLY: dict[str, Any] = {"user": "U2", "text": "same here", "ts": "1539868294.000007", "thread_ts": "1793750399.000007"}


def export(folder: Path, *messages: dict[str, Any], day: str = "2026-11-02") -> Path:
    channel = folder / "dogfood"
    channel.mkdir(parents=True, exist_ok=True)
    (channel / f"{day}.json").write_text(json.dumps(messages, indent=1))
    (folder / "users.json").write_text("[]")
    return folder


def test_a_count_larger_than_the_listed_users_and_a_skin_tone(place: Any) -> None:
    place.run("slack", export(place.files / "slack", MESSAGE))
    (report,) = (event for event in place.events("feedback") if hasattr(event, "text"))
    reactions = [event for event in place.events("feedback") if hasattr(event, "label")]
    assert (report.text, report.link) == (
        "It deleted my branch & more trace (https://example.com/t/1)",
        "https://example.com/t/1",
    )
    assert (report.kind, report.native_id, report.author.id) == ("dogfood", "dogfood/1793750399.000007", "U1")
    assert [event.label for event in reactions].count("+1") == 12
    assert [event.author.id for event in reactions if event.label == "thumbsdown"] == ["U4"]
    assert {event.author.id for event in reactions if event.label == "+1"} == {"U2", "U3", None}
    assert len({event.id for event in reactions}) == 13
    assert not any(hasattr(event, "thumb") for event in reactions)


def test_a_reply_may_be_older_than_what_it_replies_to(place: Any) -> None:
    account = place.run("slack", export(place.files / "slack", REPLY, MESSAGE))
    assert account.accepted == 2
    replies = [event for event in place.events("feedback") if getattr(event, "text", "") == "same here"]
    assert [event.native_id for event in replies] == ["dogfood/1793750399.000007/1539868294.000007"]


def test_an_edit_comes_again_under_the_same_native_id(place: Any) -> None:
    place.run("slack", export(place.files / "slack", REPLY))
    edited = {**REPLY, "text": "same here, twice", "edited": {"user": "U2", "ts": "1793750999.000000"}}
    account = place.run("slack", export(place.files / "slack", edited))
    assert (account.accepted, account.events_quarantined) == (1, 0)
    first, second = sorted(place.events("feedback"), key=lambda event: event.sequence or 0)
    assert (first.native_id, first.sequence, second.sequence) == (second.native_id, None, 1793750999000)


def test_bots_joins_and_other_notices_are_no_feedback_and_a_bad_day_is_one_refused_row(place: Any) -> None:
    bot = {"subtype": "bot_message", "bot_id": "B1", "text": "nightly: 61%", "ts": "1793752000.000200"}
    join = {"subtype": "channel_join", "user": "U5", "text": "<@U5> joined", "ts": "1793752001.000300"}
    folder = export(place.files / "slack", MESSAGE, bot, join)
    (folder / "dogfood" / "2026-11-03.json").write_text('[{"user": "U1", ')
    account = place.run("slack", folder)
    assert (account.rows, account.accepted, account.without_feedback, account.refused) == (4, 1, 2, 1)
    (reason,) = account.reasons
    assert reason.startswith("2026-11-03.json can't be read")
    assert str(place.files) not in reason


def test_a_folder_a_channel_and_a_file_give_the_same_events(place: Any) -> None:
    folder = export(place.files / "slack", MESSAGE, REPLY)
    place.run("slack", folder)
    before = len(place.events("feedback"))
    assert place.run("slack", folder / "dogfood").duplicate == 2
    assert place.run("slack", folder / "dogfood" / "2026-11-02.json").duplicate == 2
    assert len(place.events("feedback")) == before
    assert place.run("slack", folder).already_imported
