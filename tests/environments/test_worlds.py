"""Local worlds: what their tools do, what they refuse, and that equal ones answer alike."""

from typing import Any

import pytest

from environments.draw import Draw
from environments.local import LocalWorld
from environments.themes import THEMES
from environments.world import Answer, BadArguments
from models.errors import TerminalError


def test_files_are_read_written_edited_searched_and_deleted() -> None:
    world = LocalWorld({"files": {"a/one.txt": "red\nblue\n", "two.txt": "Red"}})
    assert world.call("list_files", {}) == Answer("a/one.txt\ntwo.txt")
    assert world.call("list_files", {"folder": "a/"}) == Answer("a/one.txt")
    assert world.call("search_files", {"text": "RED"}) == Answer("a/one.txt:1: red\ntwo.txt:1: Red")
    assert world.call("edit_file", {"path": "a/one.txt", "old": "blue", "new": "green"}) == Answer("edited a/one.txt")
    assert world.call("read_file", {"path": "a/one.txt"}) == Answer("red\ngreen\n")
    assert world.call("write_file", {"path": "b.txt", "text": "x"}) == Answer("wrote 1 characters to b.txt")
    assert world.call("delete_file", {"path": "two.txt"}) == Answer("deleted two.txt")
    assert world.state() == {"files": {"a/one.txt": "red\ngreen\n", "b.txt": "x"}}


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("read_file", {"path": "none"}, "there is no file 'none'"),
        ("edit_file", {"path": "none", "old": "a", "new": "b"}, "there is no file 'none'"),
        ("edit_file", {"path": "a", "old": "x", "new": "b"}, "old is there 2 times"),
        ("edit_file", {"path": "a", "old": "", "new": "b"}, "old is there 0 times"),
        ("write_file", {"path": "../b", "text": ""}, "is no path here"),
        ("delete_file", {"path": "none"}, "there is no file"),
        ("search_files", {"text": "zebra"}, "no line holds 'zebra'"),
        ("list_files", {"folder": "b"}, "there are no files below 'b'"),
    ],
)
def test_what_files_refuse_is_an_error_and_changes_nothing(tool: str, arguments: dict[str, Any], told: str) -> None:
    world = LocalWorld({"files": {"a": "x x"}})
    answer = world.call(tool, arguments)
    assert answer.is_error
    assert told in answer.text
    assert world.state() == {"files": {"a": "x x"}}


def test_a_search_with_many_hits_says_how_many_are_left_out() -> None:
    world = LocalWorld({"files": {"a": "x\n" * 50}})
    lines = world.call("search_files", {"text": "x"}).text.splitlines()
    assert (len(lines), lines[-1]) == (41, "... and 10 more lines")


def declared(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": f"{name} of a thing", **more}


def test_declared_tools_answer_by_their_arguments_after_their_faults() -> None:
    tool = declared(
        "price", parameters={"code": "string"}, answers=[{"when": {"code": "A"}, "text": "5"}],
        otherwise={"text": "no such code", "is_error": True}, faults=["busy, try again", None, "busy again"],
    )  # fmt: skip
    world = LocalWorld({"tools": [tool]})
    told = [world.call("price", {"code": code}) for code in "AAAAB"]
    assert told == [
        Answer("busy, try again", True), Answer("5"), Answer("busy again", True), Answer("5"),
        Answer("no such code", True),
    ]  # fmt: skip
    assert [each["is_error"] for each in world.state()["tools"]] == [True, False, True, False, True]
    with pytest.raises(BadArguments, match="price wants code; code not given"):
        world.call("price", {})


def test_a_catalogue_is_searched_and_used_and_not_offered() -> None:
    tools = [declared(f"tool_{n}", place="catalogue", parameters={"code": "string"}) for n in range(20)]
    world = LocalWorld({"tools": [*tools, declared("weigh", place="catalogue", otherwise={"text": "3 kg"})]})
    assert [offer.name for offer in world.offers()] == ["search_tools", "use_tool"]
    assert world.call("search_tools", {"query": "weigh"}) == Answer("weigh(): weigh of a thing")
    assert len(world.call("search_tools", {"query": "thing"}).text.splitlines()) == 8
    assert world.call("search_tools", {"query": "zebra"}).is_error
    assert world.call("use_tool", {"name": "weigh", "arguments": {}}) == Answer("3 kg")
    assert world.call("use_tool", {"name": "none", "arguments": {}}).is_error
    with pytest.raises(BadArguments, match="arguments must be a JSON object"):
        world.call("use_tool", {"name": "weigh", "arguments": "none"})


def test_a_script_wakes_a_dormant_tool_under_any_name() -> None:
    world = LocalWorld({"tools": [declared("scale", place="dormant", parameters={"code": "string"})]})
    with pytest.raises(BadArguments, match="no tool 'scale'"):
        world.call("scale", {"code": "A"})
    offer = world.bring("new_scale", "Weighs.", {}, ("scale",))
    assert (offer.name, offer.parameters["required"]) == ("new_scale", ["code"])
    assert world.call("new_scale", {"code": "A"}) == Answer("done")
    with pytest.raises(TerminalError, match="no dormant tool of this world; there are: scale"):
        world.bring("x", "", {}, ("python3", "-c", "pass"))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"weather": {}}, "names the part 'weather'; known: application, files, incident, skills, tools"),
        ({"tools": [{"name": "x"}]}, "the part 'tools' of a world can't be made: .*description"),
        ({"tools": [declared("x", colour="red")]}, "colour"),
        ({"files": 7}, "the part 'files' of a world can't be made"),
        ({"files": {}, "tools": [declared("read_file")]}, "two parts of a world have a tool 'read_file'"),
    ],
    ids=["unknown part", "lacking", "extra", "no object", "twice"],
)
def test_a_world_that_can_not_be_is_told(given: dict[str, Any], told: str) -> None:
    with pytest.raises(TerminalError, match=told):
        LocalWorld(given)


def test_skills_are_many_found_by_words_and_the_same_for_the_same_seed() -> None:
    planted = [{"name": "note-kelso", "about": "How we write notes for Kelso", "text": "In green."}]
    world, twin, other = (
        LocalWorld({"skills": {"seed": seed, "count": 300, "planted": planted}}) for seed in ("s", "s", "t")
    )
    assert world.call("find_skills", {"query": "notes Kelso"}).text.splitlines()[0].startswith("note-kelso: ")
    assert world.call("read_skill", {"name": "note-kelso"}) == Answer("In green.")
    pages = [world.call("list_skills", {"page": page}).text for page in range(1, 7)]
    names = {line for page in pages for line in page.splitlines() if not line.startswith("(")}
    assert len(names) == 300
    assert pages[0].endswith("(page 1 of 6)")
    assert twin.call("list_skills", {}) == Answer(pages[0]) != other.call("list_skills", {})
    assert world.call("list_skills", {"page": 7}).is_error
    assert world.call("read_skill", {"name": "none"}).is_error
    assert world.call("find_skills", {"query": "zzz"}).is_error
    assert world.state() == {"skills": ["note-kelso"]}


INCIDENT = {
    "services": {
        "desk": {"needs": ["store"], "config": {"rows": "5"}, "deploys": [["day 1", "1.0"], ["day 2", "1.1"]]},
        "store": {"config": {"pool": "2"}, "deploys": [["day 1", "3.0"]]},
    },
    "logs": [["9:01", "desk", "ERROR calling store: waited 5 s"], ["9:02", "store", "ERROR pool of 2 used up"]],
    "channels": {"on-call": ["Ada: roll desk back"]},
    "documents": {"Settings of store": "pool has to be 8"},
    "sick": ["desk", "store"],
    "right": {"action": "set_config", "service": "store", "key": "pool", "value": "8"},
}


def test_an_incident_ends_with_the_right_change_alone() -> None:
    world = LocalWorld({"incident": INCIDENT})
    assert world.call("search_logs", {"service": "store"}) == Answer("9:02 ERROR pool of 2 used up")
    assert world.call("read_channel", {"channel": "on-call"}) == Answer("Ada: roll desk back")
    assert world.call("search_documents", {"text": "POOL"}) == Answer("Settings of store")
    assert "needs: store\ndeploys:\n  day 1 1.0\n  day 2 1.1" in world.call("show_service", {"service": "desk"}).text
    sick = Answer("desk: failing\nstore: failing")
    for tool, arguments in (
        ("restart", {"service": "store"}),
        ("roll_back", {"service": "desk", "version": "1.0"}),
        ("set_config", {"service": "store", "key": "pool", "value": "4"}),
    ):
        assert not world.call(tool, arguments).is_error
        assert world.call("check_health", {}) == sick
    world.call("set_config", {"service": "store", "key": "pool", "value": "8"})
    assert world.call("check_health", {}) == Answer("desk: healthy\nstore: healthy")
    state = world.state()["incident"]
    assert [change["action"] for change in state["changes"]] == ["restart", "roll_back", "set_config", "set_config"]
    assert (state["versions"]["desk"], state["config"]["store"]["pool"], state["healthy"]) == ("1.0", "8", True)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("show_service", {"service": "x"}), ("search_logs", {"service": "x"}), ("restart", {"service": "x"}),
        ("search_logs", {"service": "desk", "text": "zebra"}), ("read_channel", {"channel": "x"}),
        ("search_documents", {"text": "zebra"}), ("read_document", {"title": "x"}),
        ("set_config", {"service": "x", "key": "pool", "value": "8"}),
        ("set_config", {"service": "desk", "key": "pool", "value": "8"}),
        ("roll_back", {"service": "desk", "version": "0.9"}), ("roll_back", {"service": "x", "version": "1.0"}),
    ],
    ids=str,
)  # fmt: skip
def test_what_an_incident_does_not_know_changes_nothing(tool: str, arguments: dict[str, str]) -> None:
    world = LocalWorld({"incident": INCIDENT})
    assert world.call(tool, arguments).is_error
    assert world.state()["incident"]["changes"] == []


def test_an_application_is_checked_deployed_and_rolled_back() -> None:
    health = {"errors": "0.2", "slowest": "300"}
    build = {"name": "B-2", "checks": {"orders": [7, ["test_empty"]]}, "staging": health, "production": health}
    ran = {"errors": "0.1", "slowest": "200"}
    world = LocalWorld({"application": {"builds": [build], "running": "B-1", "ran": ran}})
    assert world.call("list_builds", {}) == Answer("builds: B-2\nsuites: orders")
    checked = world.call("run_checks", {"build": "B-2", "suite": "orders"})
    assert checked == Answer("7 passed, 1 failed\nfailed: test_empty")
    assert world.call("check_health", {"stage": "staging"}).text.startswith("staging runs B-1\nerrors: 0.1 %")
    assert world.call("roll_back", {"stage": "staging"}).is_error
    world.call("deploy", {"build": "B-2", "stage": "staging"})
    assert world.call("check_health", {"stage": "staging"}).text == "staging runs B-2\nerrors: 0.2 %\nslowest: 300 ms"
    assert world.call("roll_back", {"stage": "staging"}) == Answer("staging runs B-1 again")
    for tool, arguments in (
        ("run_checks", {"build": "B-2", "suite": "x"}), ("run_checks", {"build": "x", "suite": "orders"}),
        ("deploy", {"build": "B-1", "stage": "staging"}), ("deploy", {"build": "B-2", "stage": "moon"}),
        ("check_health", {"stage": "moon"}), ("roll_back", {"stage": "moon"}),
    ):  # fmt: skip
        assert world.call(tool, arguments).is_error
    world.call("write_report", {"text": "none"})
    state = world.state()["application"]
    assert (state["production"], state["runs"]["staging"]) == ("B-1", ["B-1", "B-2", "B-1"])
    assert state["report"] == "none"


def test_draws_are_what_they_were() -> None:
    """The frozen samples of issued specs are made again from their seeds: these must never change."""
    draw = Draw("interruption", "0", 3)
    assert draw.some(range(10), 4) == [7, 2, 0, 3]
    assert draw.different_codes(2) == ["HC-1404", "RV-2824"]
    assert draw.some("ab", 5) in (["a", "b"], ["b", "a"])


def test_themes_are_told_apart() -> None:
    assert len({theme.name for theme in THEMES}) == 12
    for theme in THEMES:
        assert (len(set(theme.things)), len(set(theme.services))) == (10, 6)
        assert not any(a != b and a in b for a in theme.things for b in theme.things), theme.name
