"""The rules on a real log and lake: each thing is looked at once a version, and nothing is filed twice."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ingest.home import Home
from ingest.log import EventLog, open_log, publish, replay
from ingest.reports import RULES
from ingest.reports import run as runner
from ingest.reports.run import run
from ingest.sink import Sink
from models.errors import TerminalError
from models.events import AnyEvent, parse
from models.events.report import ReportFiled
from models.events.response import ResponseServed
from models.events.rollout import RolloutRecorded, Step, ToolCall

NOON = datetime(2026, 11, 3, 12, tzinfo=UTC)
SUBMIT = (
    Step(role="assistant", calls=(ToolCall(tool="submit", arguments="x"),)),
    Step(role="tool", tool="submit", text="Wrong flag!", is_error=False),
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.open(tmp_path / "home")


@pytest.fixture
def log(home: Home) -> Iterator[EventLog]:
    with open_log(None, home.path) as opened:
        yield opened


@pytest.fixture
def land(home: Home, log: EventLog) -> Callable[..., None]:
    def lands(*events: AnyEvent) -> None:
        publish(log, events)
        Sink(log, home).drain()

    return lands


def rollout(name: str = "ro-1", rounds: int = 4, **fields: object) -> RolloutRecorded:
    return RolloutRecorded.model_validate(
        {"id": name, "source": "lab", "rollout_id": name, "steps": SUBMIT * rounds, "occurred_at": NOON, **fields}
    )


def served(
    name: str, prompt: str, minute: int = 0, completion: str | None = "Done.", **fields: object
) -> ResponseServed:
    return ResponseServed.model_validate(
        {
            "id": f"served-{name}", "source": "app", "response_id": name, "conversation_id": "c-1", "prompt": prompt,
            "completion": completion, "occurred_at": NOON + timedelta(minutes=minute), **fields,
        }
    )  # fmt: skip


def filed(log: EventLog) -> list[ReportFiled]:
    events = [parse(record.value) for record in replay(log, "feedback")]
    return [event for event in events if isinstance(event, ReportFiled)]


def test_a_loop_is_reported_with_its_rule_steps_and_target(
    home: Home, log: EventLog, land: Callable[..., None]
) -> None:
    land(rollout(response_id="r-9"))
    done = run(home, log)
    assert (done.looked_at, done.reports) == (1, {"endless_loop": 1})
    (report,) = filed(log)
    assert (report.kind, report.author.kind, report.author.id) == ("automated", "code", "endless_loop")
    assert (report.rule, report.rule_version) == ("endless_loop", RULES["endless_loop"].version)
    assert report.steps == (0, 2, 4, 6)
    assert report.target is not None
    assert (report.target.kind, report.target.id, report.response_id) == ("trace", "ro-1", "r-9")
    assert report.occurred_at == NOON
    assert "Wrong flag!" in report.text


def test_what_was_looked_at_is_not_looked_at_again(home: Home, log: EventLog, land: Callable[..., None]) -> None:
    land(rollout())
    run(home, log)
    assert run(home, log) == (0, {})
    land(rollout("ro-2"))
    assert run(home, log) == (1, {"endless_loop": 1})
    assert len(filed(log)) == 2


def test_a_run_that_lost_its_positions_files_the_same_events(
    home: Home, log: EventLog, land: Callable[..., None]
) -> None:
    land(rollout(), served("r-1", "Fix it"), served("r-2", "No, I meant the other one.", 1))
    run(home, log)
    before = filed(log)
    (home.path / "reports" / "positions.json").unlink()
    run(home, log)
    after = filed(log)
    assert len(before) == 2
    assert len(after) == 4
    assert {event.id: event.content_hash() for event in after} == {event.id: event.content_hash() for event in before}


def test_positions_that_can_not_be_read_are_said_with_the_way_out(home: Home, log: EventLog) -> None:
    (home.path / "reports").mkdir()
    (home.path / "reports" / "positions.json").write_text("[1]")
    with pytest.raises(TerminalError, match="remove it"):
        run(home, log)


def test_a_new_version_looks_at_everything_and_the_others_at_nothing(
    home: Home, log: EventLog, land: Callable[..., None]
) -> None:
    land(rollout())
    run(home, log)
    newer = [rule._replace(version=2) if rule.name == "endless_loop" else rule for rule in RULES.values()]
    assert run(home, log, newer) == (1, {"endless_loop": 1})
    assert [report.rule_version for report in filed(log)] == [1, 2]


def test_a_correction_is_about_the_answer_before_also_when_that_lands_later(
    home: Home, log: EventLog, land: Callable[..., None]
) -> None:
    land(served("r-2", "No, I meant the other one.", 1))
    assert run(home, log).reports == {}
    land(served("r-1", "Fix it"))
    assert run(home, log).reports == {"user_correction": 1}
    land(served("r-3", "Thanks", 2))
    assert run(home, log).reports == {}
    (report,) = filed(log)
    assert report.target is not None
    assert (report.target.kind, report.target.id) == ("response", "r-1")
    assert report.steps is None


def test_turns_of_other_conversations_and_of_none_are_not_followed(
    home: Home, log: EventLog, land: Callable[..., None]
) -> None:
    wrong = "No, I meant the other one."
    land(
        served("r-1", "Fix it"),
        served("r-2", wrong, 1, conversation_id="c-2"),
        served("r-3", "Fix it", 2, conversation_id=None),
        served("r-4", wrong, 3, conversation_id=None),
    )
    assert run(home, log).reports == {}


def test_a_response_that_was_told_of_twice_is_one_turn(home: Home, log: EventLog, land: Callable[..., None]) -> None:
    known = served("r-1", "Fix it")
    land(known.model_copy(update={"id": "bare", "prompt": None, "completion": None}), known)
    land(served("r-2", "No, I meant the other one.", 1))
    done = run(home, log)
    assert (done.looked_at, done.reports) == (2, {"user_correction": 1})


def test_a_backlog_is_looked_at_in_parts_and_each_turn_once(
    home: Home, log: EventLog, land: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "WINDOW", 2)
    turns = [served(f"r-{turn}", "No, I meant the other one.", turn) for turn in range(9)]
    land(*turns, *(rollout(f"ro-{number}") for number in range(5)))
    assert run(home, log).reports == {"answer_undone": 8, "endless_loop": 5, "user_correction": 8}
    assert len({report.id for report in filed(log)}) == len(filed(log)) == 21
