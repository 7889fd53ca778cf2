"""Worlds over MCP: our server by raw JSON-RPC, our client beside servers that misbehave, and an episode over both."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from environments.local import LocalWorld
from environments.mcp.client import McpWorld
from environments.mcp.messages import VERSIONS
from environments.mcp.server import Server
from environments.world import Answer, BadArguments
from evals.agents.agent import Budget
from evals.agents.loop import Loop
from evals.behaviours.generate import generate
from evals.behaviours.registry import BEHAVIOURS
from evals.behaviours.rubric import grade
from evals.behaviours.seen import Seen, calls_of
from evals.behaviours.solving import Solver
from models.errors import TerminalError, TransientError

WORLD = {
    "files": {"a.txt": "one\n"},
    "tools": [{"name": "late", "description": "Comes later.", "place": "dormant", "otherwise": {"text": "here"}}],
}
SERVER = (sys.executable, "-m", "environments.mcp.server")


@pytest.fixture
def world_file(tmp_path: Path) -> Path:
    file = tmp_path / "world.json"
    file.write_text(json.dumps(WORLD))
    return file


def said(file: Path, *lines: str) -> list[dict[str, Any]]:
    done = subprocess.run(
        [*SERVER, str(file)], input="".join(f"{each}\n" for each in lines), capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_server_answers_by_the_protocol(world_file: Path) -> None:
    hello = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
    call = {"name": "read_file", "arguments": {"path": "a.txt"}}
    asked: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": "two", "method": "tools/list"},
        {"id": 3, "method": "tools/call", "params": call},
        {"id": 4, "method": "tools/call", "params": {"name": "read_file", "arguments": {"path": 7}}},
        {"id": 5, "method": "tools/call", "params": {"name": "late", "arguments": {}}},
        {"id": 6, "method": "resources/list"},
        {"id": 7, "method": "ping"},
        {"id": 8},
    ]
    answers = said(world_file, *(json.dumps({"jsonrpc": "2.0", **each}) for each in asked), "{no json", "")
    assert {each["jsonrpc"] for each in answers} == {"2.0"}
    assert [each["id"] for each in answers] == [1, "two", 3, 4, 5, 6, 7, 8, None]
    by_id = {each["id"]: each for each in answers}
    assert by_id[1]["result"]["protocolVersion"] == "2025-03-26"
    assert by_id[1]["result"]["capabilities"] == {"tools": {"listChanged": True}}
    tools = {each["name"]: each["inputSchema"] for each in by_id["two"]["result"]["tools"]}
    assert tools["read_file"] == {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    assert "late" not in tools
    assert by_id[3]["result"] == {"content": [{"type": "text", "text": "one\n"}], "isError": False}
    assert by_id[4]["result"]["isError"] is True
    assert "path must be a text" in by_id[4]["result"]["content"][0]["text"]
    codes = {number: each["error"]["code"] for number, each in by_id.items() if "error" in each}
    assert codes == {5: -32602, 6: -32601, 8: -32600, None: -32700}


def test_a_version_that_is_unknown_is_answered_with_the_newest() -> None:
    (answer,) = Server(LocalWorld(WORLD)).answer('{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}')
    assert answer["result"]["protocolVersion"] == VERSIONS[0]


def test_a_file_that_is_no_world_is_told_and_nothing_is_served(tmp_path: Path) -> None:
    file = tmp_path / "odd.json"
    file.write_text('{"weather": {}}')
    done = subprocess.run([*SERVER, str(file)], input="", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "names the part 'weather'; known: application, files" in done.stderr


def test_a_world_over_mcp_answers_as_the_world_does(world_file: Path) -> None:
    local = LocalWorld(WORLD)
    with McpWorld([*SERVER, str(world_file)]) as remote:
        assert list(remote.offers()) == list(local.offers())
        for tool, arguments in (
            ("write_file", {"path": "ü.txt", "text": "zwei\nLinien €"}),
            ("read_file", {"path": "ü.txt"}),
            ("read_file", {"path": "none"}),
        ):
            assert remote.call(tool, arguments) == local.call(tool, arguments)
        with pytest.raises(BadArguments, match="no tool 'late'"):
            remote.call("late", {})
        brought = remote.bring("late", "Comes later.", {}, ("late",))
        assert brought == local.bring("late", "Comes later.", {}, ("late",))
        assert remote.call("late", {}) == Answer("here")
        with pytest.raises(TerminalError, match=r"can't bring never: .* no dormant tool"):
            remote.bring("never", "", {}, ("never",))


@pytest.mark.parametrize("name", ["interruption", "tool_discovery", "incident_triage"])
def test_an_episode_over_mcp_is_graded_as_one_at_home(name: str, tmp_path: Path) -> None:
    file, state = tmp_path / "world.json", tmp_path / "state.json"
    behaviour = BEHAVIOURS[name]
    for sample in generate(behaviour, "mcp", 6):
        if name == "tool_discovery" and not sample.script.cues:
            continue  # those whose tool comes later are of interest
        file.write_text(sample.model_dump_json())
        with McpWorld([*SERVER, str(file), "--state", str(state)]) as world:
            before = json.loads(state.read_text())
            ended = Loop(Solver("passing", behaviour.passing), world, sample.script, Budget()).run(sample.instructions)
        seen = Seen(ended.steps, calls_of(ended.steps), json.loads(state.read_text()), before, ended.outcome)
        assert grade(sample.rubric, seen).strict == 1.0
        return
    raise AssertionError("no sample of that kind")


def python(code: str) -> Sequence[str]:
    return (sys.executable, "-c", code)


HELLO = """
import json, sys
def say(**told): print(json.dumps({"jsonrpc": "2.0", **told}), flush=True)
def hear(): return json.loads(sys.stdin.readline())
first = hear()
say(id=first["id"], result={"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {}})
hear()
"""
LIST = 'say(id=hear()["id"], result={"tools": [{"name": "one"}]})\n'


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("no-such-server",), "can't be started"),
        (python("import sys; sys.exit('out of paper')"), "ended: exit code 1, out of paper"),
        (python("import time; time.sleep(60)"), "no answer to initialize in 0.5 s"),
        (python("print('hello', flush=True); input(); print('42', flush=True); input(); input()"), "no answer to init"),
    ],
    ids=["none", "ends", "slow", "nonsense"],
)
def test_a_server_that_does_not_answer_is_transient(command: Sequence[str], told: str) -> None:
    with pytest.raises(TransientError, match=told):
        McpWorld(command, seconds=0.5)


def test_a_server_of_another_protocol_is_terminal() -> None:
    code = HELLO.replace("2025-06-18", "1999-01-01") + "hear()"
    with pytest.raises(TerminalError, match="speaks version '1999-01-01'"):
        McpWorld(python(code), seconds=10)


def test_a_server_that_asks_and_pages_and_knows_more_than_text() -> None:
    code = f"""{HELLO}
asked = hear()
say(id="s1", method="sampling/createMessage", params={{}})
assert hear()["error"]["code"] == -32601
say(id="s2", method="ping")
assert hear()["result"] == {{}}
say(method="notifications/message", params={{"level": "info"}})
say(id=asked["id"], result={{"tools": [{{"name": "one"}}], "nextCursor": "p2"}})
asked = hear()
assert asked["params"] == {{"cursor": "p2"}}
say(id=asked["id"], result={{"tools": [{{"name": "two", "description": "2", "inputSchema": {{"type": "object"}}}}]}})
say(id=hear()["id"], result={{"content": [{{"type": "text", "text": "seen"}}, {{"type": "image", "data": ""}}]}})
say(id=hear()["id"], error={{"code": -32000, "message": "broken"}})
say(id=hear()["id"], error={{"code": -32601, "message": "no such method"}})
{LIST}"""
    with McpWorld(python(code), seconds=10) as world:
        assert [offer.name for offer in world.offers()] == ["one", "two"]
        assert world.call("one", {}) == Answer("seen\n[image left out]")
        assert world.call("one", {}) == Answer("broken", is_error=True)
        assert world.bring("one", "", {}, ()).name == "one"
        with pytest.raises(TransientError, match="ended: exit code 0"):
            world.call("one", {})
