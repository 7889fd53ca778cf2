"""Times as people and tools write them."""

import re
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from ingest.importers.base import Refused
from ingest.importers.moments import DateOrder, exported_moment, written_moment

NOON = datetime(2026, 11, 3, 12, 0, tzinfo=UTC)
ZONE = ZoneInfo("UTC")


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-03 12:00",
        "2026-11-03T14:00:00+02:00",
        "2026-11-03T12:00:00Z",
        "2026-11-03 12:00:00 UTC",
        "3.11.2026 12:00",
        "3 Nov 2026, 12:00",
        "November 3, 2026 12:00 pm",
        "1793707200",
        "1793707200000",
    ],
)
def test_one_moment_in_many_ways(text: str) -> None:
    assert written_moment(text, None, ZONE) == NOON


@pytest.mark.parametrize(
    ("text", "order", "day", "month"),
    [
        ("13/11/2026", None, 13, 11),
        ("11/13/2026", None, 13, 11),
        ("5/5/2026", None, 5, 5),
        ("02/11/2026", "dmy", 2, 11),
        ("02/11/2026", "mdy", 11, 2),
        ("2-11-2026", "dmy", 2, 11),
    ],
)
def test_days_and_months(text: str, order: DateOrder | None, day: int, month: int) -> None:
    assert written_moment(text, order, ZONE) == datetime(2026, month, day, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("02/11/2026", None),
        ("02/11/2026", "iso"),
        ("31/02/2026", None),
        ("13/13/2026", "dmy"),
        ("1/13/2026 13:00 PM", None),
        ("3 Foo 2026", None),
        ("yesterday", None),
        ("2026-11-31", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("12", None),
    ],
)
def test_what_is_refused_names_the_value(text: str, order: DateOrder | None) -> None:
    with pytest.raises(Refused, match=re.escape(text.split(maxsplit=1)[0])):
        written_moment(text, order, ZONE)


def test_no_time_is_none_and_midnight_is_twelve_am() -> None:
    assert written_moment(" ", None, ZONE) is None
    assert exported_moment(None) is None
    assert written_moment("13/11/2026 12:05 a.m.", None, ZONE) == datetime(2026, 11, 13, 0, 5, tzinfo=UTC)


@pytest.mark.parametrize("value", ["soon", True, {"a": 1}])
def test_an_exported_time_that_is_none(value: Any) -> None:
    with pytest.raises(Refused, match="neither ISO 8601 nor an epoch"):
        exported_moment(value)
