"""Arms, addresses and CSV by known answers, and what the command refuses."""

import csv
import io
import json
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from dashboards.address import Address, BadAddress, to
from dashboards.arms import arms
from dashboards.csv_file import as_csv
from dashboards.table import Column, Table
from flywheel.cli import cli
from models.errors import TerminalError


def test_arms_compare_what_came_with_what_was_planned() -> None:
    planned = json.dumps([{"name": "A", "weight": 1}, {"name": "B", "weight": 3, "checkpoint_id": "b"}])
    first, second = arms(planned, {"A": 100, "B": 270, "stranger": 5})
    assert (first.planned, first.share, first.lost) == (0.25, pytest.approx(100 / 370), 0)
    # B has 270 where A's 100 would have 300 beside them: a tenth is missing.
    assert (second.checkpoint_id, second.planned, second.lost) == ("b", 0.75, pytest.approx(0.1))
    assert [(arm.units, arm.share, arm.lost) for arm in arms(planned, {})] == [(0, None, None)] * 2


def test_an_address_keeps_what_is_not_changed() -> None:
    address = Address("/jobs", {"state": "failed", "part.jobs": "3"})
    assert address.but(part__jobs=None) == "/jobs?state=failed"
    assert address.but(**{"sort.jobs": "-step"}) == "/jobs?state=failed&part.jobs=3&sort.jobs=-step"
    assert to("/mode", id="a b&c", none=None, empty="") == "/mode?id=a+b%26c"
    assert address.whole("part.jobs", 1, least=1, most=9) == 3
    assert Address("/", {"from": "2026-12-31"}).day("from") == date(2026, 12, 31)


@pytest.mark.parametrize("value", ["-1", "10", "1.5", "x", "\N{SUPERSCRIPT TWO}", "9" * 40])
def test_a_part_that_is_none_is_refused(value: str) -> None:
    with pytest.raises(BadAddress, match="give a whole number from 1 to 9"):
        Address("/", {"part": value}).whole("part", 1, least=1, most=9)


def test_csv_has_the_rows_as_they_are_and_says_where_it_was_cut() -> None:
    columns = (
        Column("text", "t", "words"),
        Column("n", "n", "whole"),
        Column("at", "at", "moment"),
        Column("i", "i", "interval"),
    )
    rows = [
        {"text": text, "n": -5, "at": datetime(2026, 1, 2, tzinfo=UTC), "i_low": 0.5, "i_high": None}
        for text in ('a,"b"\nc', "=1+1", "@x", "-x", "+x", "\tx", "fine")
    ]
    content = as_csv(Table("t", "T", columns, rows, more=True)).decode("utf-8-sig")
    head, *body, last = csv.reader(io.StringIO(content))
    assert head == ["text", "n", "at", "i_low", "i_high"]
    assert [row[0] for row in body] == ['a,"b"\nc', "'=1+1", "'@x", "'-x", "'+x", "'\tx", "fine"]
    assert body[0][1:] == ["-5", "2026-01-02T00:00:00+00:00", "0.5", ""]
    assert last == ["cut after 7 rows: flywheel sql --format csv gives all"]


def test_the_command_serves_no_other_host_without_sign_in(tmp_path: Path) -> None:
    words = ["dashboards", "--home", str(tmp_path / "home"), "--host", "0.0.0.0", "--port", "0"]
    with pytest.raises(TerminalError, match="nobody could sign in"):
        CliRunner().invoke(cli, words, catch_exceptions=False)
    done = CliRunner().invoke(cli, [*words, "--token-file", str(tmp_path / "none.json")])
    assert done.exit_code == 2
