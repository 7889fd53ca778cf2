"""Cases of the first issue that are about feedback: through the collector the lake has what the direct way gives it."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ingest.home import Home
from ingest.log import Entry, open_log
from models.events import HEADERS, AnyEvent, dump
from tests.transforms.test_cases import comment, moment, score, served, thumb

COLUMNS = ("log_partition", "log_offset", "received_at", "topic", "record_key", "record_headers")
"""What says where and when a row came, and not what it says."""

CASES: dict[int, list[AnyEvent]] = {
    1: [
        thumb(1, "a", "up", native_id="s1", occurred_at=moment("2026-11-02T23:59:59Z")),
        thumb(1, "b", "down", native_id="s1", occurred_at=moment("2026-11-03T00:00:01Z")),
    ],
    2: [thumb(2, "a", "up", sequence=1), thumb(2, "b", "down", sequence=2)],
    6: [
        score(6, "1", 1, author="a", sequence=1), score(6, "2", -1, author="b", sequence=2),
        score(6, "3", -1, author="a", sequence=3),
    ],
    7: [score(7, "a", 1, author="a"), comment(7, "c", "ok", author="a"), score(7, "b", 0, author="b")],
    8: [thumb(8, "a", "up", sequence=1), thumb(8, "b", None, sequence=2)],
    10: [comment(10, "c", "It opened the wrong file."), *(thumb(10, str(n), "down", sequence=n) for n in range(6))],
    12: [thumb(12, "user", "down", source="case12/user"), thumb(12, "admin", "up", source="case12/admin")],
    14: [score(14, "s1", 1, kind="trace", target="14-never")],
    16: [thumb(16, "f1", "up", target="16-i1"), served(16, "i1")],
    17: [thumb(17, "span", "down", kind="span", target="17-a1"), thumb(17, "response", "down", target="17-a1")],
    19: [thumb(19, "a", "up", occurred_at=moment("2026-11-02T23:30:00+08:00"))],
    21: [thumb(21, "late", "down", occurred_at=moment("2026-10-01T00:00:00Z"))],
    23: [thumb(23, "future", "up", occurred_at=datetime(2031, 1, 1, tzinfo=UTC)), thumb(23, "now", "down")],
    28: [
        score(28, "zero", 0, metric="zero"),
        score(28, "false", 0, metric="false", data_type="boolean"),
        score(28, "empty", None, metric="empty", data_type="categorical", label=""),
        score(28, "null", None, metric="null", status="skipped"),
    ],
    29: [score(29, "pass", 1, author="a"), score(29, "error", None, author="b", status="errored")],
    31: [comment(31, "slow", "too slow"), comment(31, "empty", "")],
}  # fmt: skip

RAW: dict[int, bytes] = {
    34: dump(comment(34, "a", "bad X")).replace(b"bad X", b"bad \\ud83d"),
    35: dump(comment(35, "a", "bad X")).replace(b"bad X", b"bad \\u0000"),
    38: b'{"specversion": "1.0", "poison',
}


def lake(place: Any, *topics: str) -> pl.DataFrame:
    frames = [place.lake(topic).drop(COLUMNS, strict=False) for topic in topics]
    return pl.concat(frames, how="diagonal").sort("event_id")


@pytest.fixture
def direct(tmp_path: Path) -> Any:
    """Another home, whose log the test writes to itself."""
    from contextlib import ExitStack  # noqa: PLC0415

    from tests.ingest.collector.conftest import Place  # noqa: PLC0415

    home = Home.open(tmp_path / "direct")
    with ExitStack() as stack, open_log(None, home.path) as log:
        yield Place(home, log, stack)


@pytest.mark.parametrize("case", CASES)
def test_cases_of_the_first_issue_pass_through_the_collector(case: int, place: Any, direct: Any, client: Any) -> None:
    events = CASES[case]
    body = [json.loads(dump(event)) for event in events]
    answer = client.post("/v1/events", json=body, headers={"Content-Type": "application/cloudevents-batch+json"})
    assert (answer.status_code, answer.json()["accepted"]) == (202, len(events))
    direct.log.append([Entry(event.topic, event.key, dump(event), HEADERS) for event in events])
    topics = sorted({event.topic for event in events})
    through, straight = lake(place, *topics), lake(direct, *topics)
    assert through.height == len(events)
    assert through.drop("raw").equals(straight.drop("raw"))
    assert [json.loads(raw) for raw in through["raw"]] == [json.loads(raw) for raw in straight["raw"]]


@pytest.mark.parametrize("case", RAW)
def test_cases_34_35_and_38_are_repaired_or_refused_with_the_sinks_own_reason(
    case: int, place: Any, direct: Any, client: Any
) -> None:
    answer = client.post("/v1/events", content=RAW[case], headers={"Content-Type": "application/cloudevents+json"})
    direct.log.append([Entry("feedback", "k", RAW[case], HEADERS)])
    straight = lake(direct, "feedback")
    if (reason := straight["error"][0]) is None:
        assert lake(place, "feedback").equals(straight)
        assert straight["repaired"].to_list() == [True]
    else:
        assert answer.status_code == 400
        assert answer.json()["events"][0]["reason"] == reason
        assert place.log.topics() == []
