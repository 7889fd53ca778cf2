"""Reading times: ISO 8601, epochs, and the ways people write dates. What could be two days is refused, not guessed."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

from ingest.importers.base import Refused
from models.errors import TerminalError

DateOrder = Literal["dmy", "mdy", "iso"]

MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTHS = {name: number for number, name in enumerate(MONTH_NAMES, 1)}
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TIME = r"(?:[ T,]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.\d+)?)?\s*(?P<half>[AaPp]\.?[Mm]\.?)?)?"
NUMBERS = re.compile(rf"(?P<first>\d{{1,2}})(?P<mark>[/.-])(?P<second_part>\d{{1,2}})(?P=mark)(?P<year>\d{{4}}){TIME}")
DAY_MONTH = re.compile(rf"(?P<day>\d{{1,2}})\.? (?P<month>[A-Za-z]{{3,9}})\.?,? (?P<year>\d{{4}}){TIME}")
MONTH_DAY = re.compile(rf"(?P<month>[A-Za-z]{{3,9}})\.? (?P<day>\d{{1,2}}),? (?P<year>\d{{4}}){TIME}")


def read_zone(name: str) -> ZoneInfo:
    """The time zone `name`. Raises TerminalError if there is none of that name."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise TerminalError(f"there is no time zone {name!r}: say it as in Europe/Berlin, or UTC") from error


def exported_moment(value: Any) -> datetime | None:
    """A time as tools export it: ISO 8601 (UTC where it has no offset) or an epoch. Raises Refused for other values."""
    if value is None or value == "":
        return None
    moment = _iso(str(value), ZoneInfo("UTC")) or _epoch(str(value))
    if moment is None or isinstance(value, bool):
        raise Refused(f"time {value!r} is neither ISO 8601 nor an epoch")
    return moment


def written_moment(text: str, order: DateOrder | None, zone: ZoneInfo) -> datetime | None:
    """A time as people and spreadsheets write it, in `zone` where it has no offset; None for an empty text.

    Raises Refused for a value that isn't a time, or that is two different days and `order` doesn't say which.
    """
    text = text.strip()
    if not text:
        return None
    moment = _iso(text, zone) or _epoch(text)
    if moment is not None:
        return moment
    if order != "iso":
        for pattern in (NUMBERS, DAY_MONTH, MONTH_DAY):
            if found := pattern.fullmatch(text):
                day, month = _day_and_month(text, found, order)
                return _built(found, day, month, zone)
    raise Refused(f"time {text!r} is not a date that can be read: write it as 2026-11-03 23:59")


def _iso(text: str, zone: ZoneInfo) -> datetime | None:
    if not re.match(r"\d{4}-\d{2}-\d{2}", text):
        return None
    try:
        moment = datetime.fromisoformat(text.removesuffix(" UTC"))
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _epoch(text: str) -> datetime | None:
    """Seconds (9 to 11 digits before the point), milliseconds (13) or microseconds (16)."""
    if not re.fullmatch(r"\d{9,16}(\.\d+)?", text):
        return None
    whole = len(text.partition(".")[0])
    micros = {13: 1_000, 16: 1}.get(whole, 1_000_000 if whole <= 11 else None)
    return None if micros is None else EPOCH + timedelta(microseconds=round(float(text) * micros))


def _day_and_month(text: str, found: re.Match[str], order: DateOrder | None) -> tuple[int, int]:
    parts = found.groupdict()
    if "first" not in parts:
        month = MONTHS.get(parts["month"][:3].lower())
        if month is None:
            raise Refused(f"time {text!r} names no month")
        return int(parts["day"]), month
    first, second = int(parts["first"]), int(parts["second_part"])
    if order == "dmy" or (order is None and (first > 12 or first == second or parts["mark"] == ".")):
        return first, second
    if order == "mdy" or second > 12:
        return second, first
    raise Refused(f"time {text!r} could be two different days: say --dates dmy or --dates mdy")


def _built(found: re.Match[str], day: int, month: int, zone: ZoneInfo) -> datetime:
    text = found.string
    hour, minute, second = (int(found[name] or 0) for name in ("hour", "minute", "second"))
    half = (found["half"] or "").lower().replace(".", "")
    if half and not 1 <= hour <= 12:
        raise Refused(f"time {text!r} has no such hour")
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    try:
        return datetime(int(found["year"]), month, day, hour, minute, second, tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise Refused(f"time {text!r} is no day of the calendar ({error})") from error
