import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from evals.agents import Bring, Budget, Cue, Say, Script, TakeAway
from evals.agents.endpoint import Endpoint
from evals.cleanroom.bubblewrap import BubblewrapRoom, open_room
from models.errors import TerminalError
from tests.evals.agents.model_server import Http, call, model, text


@pytest.fixture(scope="module")
def room(rooms: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BubblewrapRoom]:
    source = tmp_path_factory.mktemp("tree")
    (source / "a.py").write_text("one = 1\ntwo = 2\n")
    with open_room(source) as opened:
        yield opened


def agent(url: str, **more: object) -> Endpoint:
    return Endpoint(url, "tiny", pause=0.01, **more)  # type: ignore[arg-type]


def test_a_model_works_in_the_room(room: BubblewrapRoom) -> None:
    replies = [
        call("read", {"path": "a.py", "first": 2}),
        call("edit", {"path": "a.py", "old": "two = 2", "new": "two = 3"}, "c2"),
        call("write", {"path": "b/c.py", "text": "print('hi')\n"}, "c3"),
        call("shell", {"command": "python3 b/c.py; exit 3"}, "c4"),
        text("It is done."),
    ]
    with model(replies) as served:
        ended = agent(served.url, key="secret").run(room, "Make two three.", Script())
    assert (ended.outcome, ended.detail) == ("finished", "submitted")
    assert [step.role for step in ended.steps] == ["user", *["assistant", "tool"] * 4, "assistant"]
    assert ended.steps[2].text == "two = 2\n"
    assert (room.tree / "a.py").read_text() == "one = 1\ntwo = 3\n"
    assert ended.steps[8].text == "hi\n\n[exit code 3]"
    assert ended.steps[8].is_error
    assert served.keys[0] == "Bearer secret"
    last = served.asked[-1]["messages"]
    assert [each["role"] for each in last] == ["system", "user", *["assistant", "tool"] * 4]
    assert last[3]["tool_call_id"] == last[2]["tool_calls"][0]["id"] == "c1"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("{'path': 'a.py'}", "no JSON"),
        ('{"path": ', "no JSON"),
        ("[1]", "no JSON object"),
        ('{"path": 7}', "path must be a text"),
        ('{"path": "a.py", "first": "x"}', "numbers of lines"),
        ('{"path": "nowhere"}', "exit code"),
    ],
)
def test_broken_arguments_are_answered(room: BubblewrapRoom, arguments: str, told: str) -> None:
    with model([call("read", arguments)]) as served:
        ended = agent(served.url).run(room, "Read.", Script())
    assert ended.outcome == "finished"
    assert ended.steps[2].is_error
    assert told in (ended.steps[2].text or "")
    assert ended.steps[1].calls[0].arguments == arguments


def test_an_edit_must_fit_once(room: BubblewrapRoom) -> None:
    with model([call("edit", {"path": "a.py", "old": "=", "new": "!"})]) as served:
        ended = agent(served.url).run(room, "Edit.", Script())
    assert "2 times" in (ended.steps[2].text or "")


def test_a_busy_endpoint_is_asked_again(room: BubblewrapRoom) -> None:
    with model([Http(429, "slow down", (("retry-after", "0"),)), Http(503), text("done")]) as served:
        ended = agent(served.url).run(room, "Go.", Script())
    assert ended.outcome == "finished"
    assert len(served.asked) == 3


def test_an_endpoint_that_stays_away_fails_the_rollout(room: BubblewrapRoom) -> None:
    with model([Http(500, "broken")] * 9) as served:
        ended = agent(served.url, tries=3).run(room, "Go.", Script())
    assert ended.outcome == "failed"
    assert "after 3 tries" in ended.detail
    assert "HTTP 500: broken" in ended.detail
    assert len(served.asked) == 3


def test_a_refusal_is_not_asked_again(room: BubblewrapRoom) -> None:
    with model([Http(400, "context too long")]) as served:
        ended = agent(served.url).run(room, "Go.", Script())
    assert ended.outcome == "failed"
    assert "context too long" in ended.detail
    assert len(served.asked) == 1


def test_nobody_listens(room: BubblewrapRoom) -> None:
    ended = agent("http://127.0.0.1:9/v1", tries=2).run(room, "Go.", Script())
    assert ended.outcome == "failed"
    assert "ConnectError" in ended.detail


@pytest.mark.parametrize(
    "reply",
    [
        Http(200, "<html>"),
        Http(200, "[]"),
        Http(200, '{"choices": []}'),
        Http(200, '{"choices": [{"message": {"tool_calls": [{}]}}]}'),
    ],
)
def test_a_reply_that_is_none_fails_the_rollout(room: BubblewrapRoom, reply: Http) -> None:
    with model([reply]) as served:
        ended = agent(served.url).run(room, "Go.", Script())
    assert ended.outcome == "failed"


@pytest.mark.parametrize(
    "reply",
    [
        text("found it", annotations=[{"type": "url_citation", "url": "https://example.org"}]),
        {**text("found it"), "citations": ["https://example.org"]},
        {**text("found it"), "usage": {"server_tool_use": {"web_search_requests": 1}}},
        {"choices": [{"message": {"content": "", "tool_calls": [{"type": "web_search_call", "id": "w"}]}}]},
    ],
)
def test_a_search_on_the_providers_side_is_refused_and_told(room: BubblewrapRoom, reply: dict[str, object]) -> None:
    with model([reply]) as served:
        ended = agent(served.url).run(room, "Go.", Script())
    assert ended.outcome == "failed"
    assert [(wire.name, wire.severity) for wire in ended.evidence] == [("provider_search", "cheat")]
    assert "found it" not in json.dumps([step.model_dump() for step in ended.steps])


def test_a_server_without_searches_is_not_blamed(room: BubblewrapRoom) -> None:
    reply = {
        **text("done", annotations=[]),
        "usage": {"server_tool_use": {"web_search_requests": 0}, "total_tokens": 3},
    }
    with model([reply]) as served:
        assert agent(served.url).run(room, "Go.", Script()).outcome == "finished"


def test_a_request_may_not_ask_for_a_search() -> None:
    with pytest.raises(TerminalError, match="web_search_options"):
        Endpoint("http://x/v1", "m", extra={"web_search_options": {}})


def test_budgets(room: BubblewrapRoom) -> None:
    look = call("shell", {"command": "true"})
    with model([look] * 9) as served:
        ended = agent(served.url, budget=Budget(steps=3)).run(room, "Go.", Script())
    assert (ended.outcome, ended.detail) == ("out_of_steps", "steps")
    assert sum(step.role == "assistant" for step in ended.steps) == 3
    with model([look] * 9) as served:
        ended = agent(served.url, budget=Budget(tokens=150)).run(room, "Go.", Script())
    assert (ended.outcome, ended.detail) == ("out_of_steps", "tokens")
    assert len(served.asked) == 2
    with model([call("shell", {"command": "sleep 0.3"})] * 9) as served:
        ended = agent(served.url, budget=Budget(seconds=0.2)).run(room, "Go.", Script())
    assert (ended.outcome, ended.detail) == ("timed_out", "seconds")


def test_a_script_interrupts_answers_takes_and_brings(room: BubblewrapRoom) -> None:
    script = Script(
        cues=(
            Cue(at_step=1, do=Say(text="Use tabs, please.")),
            Cue(on_tool="shell", do=TakeAway(tool="shell")),
            Cue(on_tool="shell", do=Bring(tool="lint", description="Check.", command=("cat",))),
        ),
        answers=("In a.py.",),
    )
    replies = [
        call("shell", {"command": "echo hi"}),
        call("shell", {"command": "echo again"}, "c2"),
        call("lint", {"path": "a.py"}, "c3"),
        call("ask", {"question": "Where?"}, "c4"),
        call("ask", {"question": "And then?"}, "c5"),
    ]
    with model(replies) as served:
        ended = agent(served.url).run(room, "Go.", script)
    told = [(step.role, step.text) for step in ended.steps]
    assert told[2:4] == [("tool", "hi\n"), ("user", "Use tabs, please.")]
    assert "there is no tool 'shell'" in (told[5][1] or "")
    assert told[7] == ("tool", '{"path": "a.py"}')
    assert told[9] == ("tool", "In a.py.")
    assert "Decide yourself" in (told[11][1] or "")
    offered = [[tool["function"]["name"] for tool in each["tools"]] for each in served.asked]
    assert "shell" in offered[0]
    assert offered[1] == ["read", "write", "edit", "ask", "lint"]
    assert ended.tools == ("shell", "read", "write", "edit", "ask", "lint")


def test_a_last_question_is_answered_once(room: BubblewrapRoom) -> None:
    with model([text("Which file?"), text("Thanks. Shall I go on?")]) as served:
        ended = agent(served.url).run(room, "Go.", Script(answers=("a.py",)))
    assert [step.text for step in ended.steps] == ["Go.", "Which file?", "a.py", "Thanks. Shall I go on?"]
    assert ended.outcome == "finished"


def test_a_link_of_the_agents_leads_nowhere(room: BubblewrapRoom, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("outside")
    replies = [call("shell", {"command": f"ln -s {tmp_path}/secret link"}), call("read", {"path": "link"}, "c2")]
    with model(replies) as served:
        ended = agent(served.url).run(room, "Go.", Script())
    assert ended.steps[4].is_error
    assert "outside" not in (ended.steps[4].text or "")
