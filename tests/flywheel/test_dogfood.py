"""`flywheel dogfood`: a report from the terminal lands whole, about the response that its author saw last."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from flywheel.cli import cli
from ingest.home import Home
from ingest.log import open_log, replay
from ingest.log.publish import publish
from ingest.sink.sink import Sink
from models.errors import TerminalError
from models.events import parse
from models.events.report import ReportFiled
from models.events.response import ResponseServed
from tests.clients.served import Served

START = datetime(2026, 11, 2, 12, tzinfo=UTC)


def served(number: int, person: str | None, audience: str = "internal", text: str = "On its way.") -> ResponseServed:
    """The `number`-th response, one a minute."""
    return ResponseServed.model_validate({
        "id": f"served-{number}", "source": "app", "occurred_at": START + timedelta(minutes=number),
        "response_id": f"r{number}", "person_id": person, "audience": audience, "completion": text})  # fmt: skip


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.open(tmp_path / "home")


Run = Callable[..., Result]


@pytest.fixture
def run(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("FLYWHEEL_HOME", str(home.path))
    monkeypatch.setenv("FLYWHEEL_PERSON", "anna")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("FLYWHEEL_URL", "FLYWHEEL_KEY", "FLYWHEEL_LOG"):
        monkeypatch.delenv(name, raising=False)
    return lambda *arguments: CliRunner().invoke(cli, ["dogfood", *arguments])


@pytest.fixture
def collector(tmp_path: Path) -> Iterator[Served]:
    collector = Served(tmp_path / "served")
    yield collector
    collector.close()


def land(home: Home, *responses: ResponseServed) -> None:
    with open_log(None, home.path) as log:
        publish(log, responses)
        Sink(log, home).drain()


def filed(home: Home) -> list[ReportFiled]:
    with open_log(None, home.path) as log:
        events = [parse(record.value or b"") for record in replay(log, "feedback")]
    return [event for event in events if isinstance(event, ReportFiled)]


def test_a_report_lands_on_the_log_with_the_last_response(home: Home, run: Run):
    land(home, served(1, "anna"), served(3, "anna", text="It is\non its way. " * 9), served(2, "anna"))
    done = run("it lied", "--link", "https://tracker/12")
    assert done.exit_code == 0, done.output
    (report,) = filed(home)
    assert report.id in done.stdout
    assert "about response r3" in done.stdout
    assert 'served to anna at 2026-11-02 12:03 UTC, "It is on its way.' in done.stderr
    assert (report.text, report.kind, report.author.kind, report.author.id) == ("it lied", "dogfood", "human", "anna")
    assert report.target is not None
    assert (report.target.kind, report.target.id, report.link) == ("response", "r3", "https://tracker/12")
    assert report.occurred_at is not None


@pytest.mark.parametrize(
    ("responses", "attached"),
    [
        ([], None),
        ([served(1, "anna", "external"), served(2, "bert", "external")], "r1"),
        ([served(1, "anna"), served(2, None)], "r2"),
        ([served(1, None, "external")], None),
        ([served(1, "u-42"), served(2, "u-42")], "r2"),
        ([served(1, "anna"), served(2, "bert")], "r1"),
        ([served(1, "bert"), served(2, "carl")], None),
    ],
    ids=["none", "hers", "internal", "external of nobody", "one tester with another name", "not bert's", "nobody's"],
)
def test_the_last_response_is_her_own_or_an_internal_one_that_is_nobody_elses(
    responses: list[ResponseServed], attached: str | None, home: Home, run: Run
):
    land(home, *responses)
    done = run("it lied")
    assert done.exit_code == 0, done.output
    (report,) = filed(home)
    assert (report.target.id if report.target else None) == attached
    assert ("attached: nothing" in done.stderr) == (attached is None)


def test_a_response_can_be_named_or_left_out(home: Home, run: Run):
    land(home, served(1, "anna"))
    assert run("it lied", "--response", "r0").exit_code == 0
    assert run("it lied", "--no-response", "--author", "bert").exit_code == 0
    named, alone = sorted(filed(home), key=lambda report: report.id)
    assert named.target is not None
    assert named.target.id == "r0"
    assert (alone.target, alone.author.id) == (None, "bert")


def test_who_reports_by_login_is_told_so(home: Home, run: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("FLYWHEEL_PERSON")
    monkeypatch.setenv("LOGNAME", "login")
    done = run("it lied")
    assert "author: login (your login" in done.stderr
    assert filed(home)[0].author.id == "login"


def test_it_goes_through_a_collector_and_waits_while_that_is_away(collector: Served, home: Home, run: Run):
    land(home, served(1, "anna"))
    away = run("it lied once", "--url", collector.url, "--wait", "0.2")
    assert away.exit_code == 1
    assert "waits on this machine" in str(away.exception)

    collector.start()
    collector.faults.append("lose")
    done = run("it lied twice", "--url", collector.url)
    assert done.exit_code == 0, done.output
    assert f"in {collector.url}, about response r1" in done.stdout
    assert filed(home) == []
    events = collector.written()
    assert sorted(event["data"]["text"] for event in events) == ["it lied once", "it lied twice"]
    assert {event["data"]["target"]["id"] for event in events} == {"r1"}
    assert any(event["id"] in done.stdout for event in events)


@pytest.mark.parametrize(
    "arguments",
    [
        ("  ",),
        ("it lied", "--response", "r1", "--no-response"),
        ("it lied", "--url", "nowhere"),
        ("it lied", "--response", "x" * 600),
    ],
)
def test_what_makes_no_sense_files_nothing(arguments: tuple[str, ...], home: Home, run: Run):
    done = run(*arguments)
    assert done.exit_code != 0
    assert isinstance(done.exception, SystemExit | TerminalError)
    assert filed(home) == []


def test_bytes_of_a_terminal_that_are_no_characters_are_repaired_and_flagged(home: Home, run: Run):
    assert run("it \udcff lied", "--no-response").exit_code == 0
    (report,) = filed(home)
    assert (report.text, report.repaired) == ("it \ufffd lied", True)


@pytest.mark.parametrize("wait", ["-5", "nan"])
def test_a_wait_that_is_none_is_refused(run: Run, home: Home, wait: str) -> None:
    done = run("slow", "--no-response", "--wait", wait)
    assert (done.exit_code, "Invalid value for '--wait'" in done.output) == (2, True)
    with open_log(None, home.path) as log:
        assert not list(replay(log, "feedback"))
