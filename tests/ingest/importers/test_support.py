"""GitHub issues, Zendesk and Intercom."""

from pathlib import Path
from typing import Any

import pytest

from ingest.importers.base import Refused

ISSUE: dict[str, Any] = {
    "number": 1,
    "title": "It edits the wrong file",
    "user": {"login": "octo"},
    "labels": [{"name": "bug"}],
    "body": None,
    "created_at": "2026-11-02T23:59:59Z",
    "updated_at": "2026-11-02T23:59:59Z",
    "reactions": {"total_count": 3, "+1": 2, "-1": 1, "laugh": 0},
}


def test_an_issue_without_a_body_is_its_title_and_its_reactions_are_no_thumbs(events_of: Any) -> None:
    payload = {"action": "opened", "issue": ISSUE, "repository": {"full_name": "o/r"}}
    report, label, *reactions = events_of("github", payload)
    assert (report.text, report.native_id, report.author.id) == ("It edits the wrong file", "o/r#1", "octo")
    assert label.label == "bug"
    assert [event.label for event in reactions] == ["+1", "+1", "-1"]
    assert len({event.id for event in reactions}) == 3


def test_an_issue_of_the_api_a_comment_and_a_pull_request(events_of: Any) -> None:
    listed: dict[str, Any] = {
        **ISSUE,
        "body": "Steps:\n1.",
        "repository_url": "https://api.github.com/repos/o/r",
        "reactions": {},
    }
    report, _ = events_of("github", listed)
    assert (report.text, report.native_id) == ("It edits the wrong file\n\nSteps:\n1.", "o/r#1")
    comment = {"id": 9, "body": "same here", "user": {"login": "b"}, "created_at": "2026-11-03T00:00:00Z"}
    (said,) = events_of("github", {"action": "created", "issue": listed, "comment": comment})
    assert (said.text, said.native_id, said.author.id) == ("same here", "o/r#1/9", "b")
    assert events_of("github", {**listed, "pull_request": {"url": "x"}}) == []


def rating(score: str, **said: Any) -> dict[str, Any]:
    return {"id": 7, "requester_id": 1, "ticket_id": 2, "score": score, "created_at": "2026-11-02T00:00:00Z", **said}


def test_a_rating_that_was_offered_is_no_bad_one(events_of: Any) -> None:
    _, bad, comment, reason = events_of("zendesk", rating("bad", comment="invented a policy", reason="It was wrong"))
    assert (bad.metric, bad.value, bad.status, bad.target.kind, bad.target.id) == (
        "csat",
        0.0,
        "scored",
        "conversation",
        "2",
    )
    assert (comment.text, comment.metric, reason.text, reason.metric) == (
        "invented a policy",
        "csat",
        "It was wrong",
        "csat_reason",
    )
    _, offered = events_of("zendesk", rating("offered", comment=None))
    assert (offered.value, offered.status) == (None, "skipped")
    _, good, empty = events_of("zendesk", rating("good", comment=""))
    assert (good.value, empty.text) == (1.0, "")
    with pytest.raises(Refused, match="'fine' is none of good"):
        events_of("zendesk", rating("fine"))


TABLES = {
    "user": "id,_fivetran_synced,role,url\n1,x,end-user,https://a.zendesk.com/1\n2,x,agent,\n3,x,end-user,\n",
    "ticket": (
        "id,_fivetran_synced,requester_id,subject,description,status,created_at,updated_at,ticket_form_id\n"
        "10,x,1,Wrong,It lied,closed,2026-01-01 10:00:00,2026-01-02 10:00:00,\n"
        "11,x,1,Gone,Gone,deleted,2026-01-01 10:00:00,,\n"
    ),
    "ticket_comment": (
        "id,_fivetran_synced,body,created,public,ticket_id,user_id\n"
        "100,x,It lied,2026-01-01 10:00:00,TRUE,10,1\n101,x,Still lies,2026-01-03 10:00:00,TRUE,10,1\n"
        "102,x,We look,2026-01-03 11:00:00,TRUE,10,2\n103,x,a note,2026-01-03 11:00:00,FALSE,10,1\n"
        "104,x,elsewhere,2026-01-03 11:00:00,TRUE,99,3\n"
    ),
    "ticket_field_history": (
        "field_name,ticket_id,updated,_fivetran_synced,user_id,value\n"
        "status,10,2026-01-03 10:00:00,x,,closed\nsatisfaction_score,10,2026-01-04 10:00:00,x,,bad\n"
    ),
    "ticket_tag": "tag,ticket_id,_fivetran_synced\nvip,10,x\n",
}


def tables(folder: Path) -> Path:
    folder.mkdir()
    for name, text in TABLES.items():
        (folder / f"{name}_data.csv").write_text(text)
    return folder


def test_a_connectors_tables_are_read_with_each_other(place: Any) -> None:
    account = place.run("zendesk", tables(place.files / "zendesk"))
    assert (account.rows, account.accepted, account.refused, account.without_feedback) == (13, 4, 1, 8)
    assert list(account.reasons) == ["the ticket was deleted in Zendesk"]
    said = {event.native_id: event for event in place.events("feedback")}
    assert said["ticket/10"].text == "Wrong\n\nIt lied"
    assert {key for key in said if key.startswith("comment")} == {"comment/101", "comment/104"}
    (csat,) = (event for event in said.values() if getattr(event, "metric", None) == "csat")
    assert (csat.value, csat.author.id) == (0.0, "1")


def test_intercoms_versions_of_one_rating_are_one_and_none_is_no_feedback(place: Any) -> None:
    rating = ",".join(f"conversation_rating_{name}" for name in ("created_at", "remark", "value"))
    header = f"id,updated_at,{rating},source_author_id"
    rated = "9,2026-01-0{},2026-01-01 00:00:00,{},2,u1"
    path = place.files / "conversation_history.csv"
    path.write_text(
        "\n".join([header, "8,x,,,,u0", rated.format(1, "slow"), rated.format(2, "slow"), "9,x,,,7,u1"]) + "\n"
    )
    account = place.run("intercom", path)
    assert (account.rows, account.accepted, account.duplicate, account.without_feedback, account.refused) == (
        4,
        1,
        1,
        1,
        1,
    )
    score, remark = place.events("feedback")
    assert (score.value, score.scale_min, score.scale_max, remark.text) == (2.0, 1.0, 5.0, "slow")
