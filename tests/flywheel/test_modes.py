"""`flywheel modes`: what persons say of the taxonomy is on the log; what makes no sense is refused in a line."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from flywheel.cli import cli
from ingest.home import Home
from ingest.log import open_log, publish, replay
from models.errors import FlywheelError
from models.events import AnyEvent, parse
from models.events.taxonomy import MergeProposed, ModeDefined, ModeMerged, ModeProposed, ModeSplit, SplitProposed

LLAMA = "llama / sticker"


def proposed(mode_id: str, name: str, part_of: str | None = None) -> ModeProposed:
    return ModeProposed(
        id=mode_id, source="t", mode_id=mode_id, discovery_id="d", name=name, terms=("llama",), centroid=(1.0,),
        cohesion=0.8, embedding="e", member_keys=("app|1", "app|2"), medoid_key="app|1", part_of=part_of,
    )  # fmt: skip


class Place:
    """A home with a log, and the commands on it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        Home.open(path)

    def append(self, *events: AnyEvent) -> None:
        with open_log(None, self.path) as log:
            publish(log, events)

    def events(self) -> list[AnyEvent]:
        with open_log(None, self.path) as log:
            return [parse(record.value, record.headers) for record in replay(log, "taxonomy")]

    def run(self, *arguments: str, given: str | None = None) -> str:
        result = CliRunner().invoke(cli, ["modes", *arguments, "--home", str(self.path)], input=given)
        if isinstance(result.exception, FlywheelError):
            return f"refused: {result.exception}"
        assert result.exit_code == 0, result.output
        return result.output

    def listed(self, *options: str) -> dict[str, dict[str, Any]]:
        return {row.get("mode_id") or row["id"]: row for row in json.loads(self.run("list", "--json", *options))}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    there = Place(tmp_path / "home")
    there.append(proposed("mode-a", LLAMA))
    return there


def test_a_mode_goes_from_the_queue_through_its_life_and_its_history_tells(place: Place):
    assert list(place.listed("--queue")) == ["mode-a"]
    place.run("accept", LLAMA.upper(), "--by", "ann", "--reason", "seen twice")
    place.run("rename", "mode-a", "Stickers", "--by", "bob")
    assert place.run("list", "--queue") == "nothing waits for an answer\n"
    place.run("merge", "Stickers", "refusals", "--into", "communication", "--by", "ann")
    assert {"mode-a", "refusals"}.isdisjoint(place.listed())
    assert place.listed("--all")["mode-a"]["merged_into"] == "communication"
    place.run("retire", "communication", "--by", "ann", "--reason", "too wide")
    shown = place.run("show", "mode-a")
    assert "counts as:            none" in shown
    history = [line.split(" ", 4)[-1] for line in shown.split("history:\n")[1].splitlines()]
    assert [line.partition(" ")[2] for line in history] == [
        "proposed: 2 comments",
        "accepted: seen twice",
        "renamed from 'llama / sticker' to 'Stickers'",
        "merged into communication (Communication)",
    ]
    assert [line.split(":")[0] for line in history] == ["d", "ann", "bob", "ann"]
    place.run("accept", "mode-a")
    assert place.listed()["mode-a"]["status"] == "accepted"
    assert "merged into it:\n  refusals" in place.run("show", "communication")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["show", "comunication"], "there is no failure mode 'comunication'; near it: communication"),
        (["accept", "tool_use"], "tool_use (Tool use) is seeded already"),
        (["reject", "tool_use"], "is seeded, not proposed: to end it, flywheel modes retire"),
        (["merge", "tool_use", "--into", "tool_use"], "can't be merged into itself"),
        (["merge", "tool_use", "--into", "mode-a"], "only proposed: accept it before"),
        (["merge", "refusals", "--into", "tool_use"], "refusals (Refusals) can't be merged: it is merged into"),
        (["merge", "tool_use", "--into", "refusals"], "merged into communication, and counts as communication"),
        (["retire", "latency_cost"], "latency_cost (Latency and cost) is retired already"),
        (["merge", "tool_use", "--into", "latency_cost"], "flywheel modes accept brings it back"),
        (["rename", "tool_use", "COMMUNICATION"], "taken by communication: choose another, or merge the two"),
        (["rename", "tool_use", "Tool use"], "has that name already"),
        (["rename", "tool_use", " "], "a name has 1 to 512 characters, not 0"),
        (["rename", "tool_use", "x" * 513], "a name has 1 to 512 characters, not 513"),
        (["retire", "tool_use", "--by", "x" * 513], "longer than 512 characters"),
        (["label"], "no build yet"),
        (["split", "tool_use"], "name the parts of the split"),
        (["split", "tool_use", "--into", "mode-a"], "a split needs two parts or more"),
        (["split", "tool_use", "--into", "mode-a", "--into", "tool_use"], "can't be a part of itself"),
        (["split", "tool_use", "--into", "mode-a", "--into", "latency_cost"], "accept it before it can be a part"),
        (["accept", "mode-a", "--by", " "], "--by is empty"),
    ],
)
def test_what_makes_no_sense_is_refused_and_appends_nothing(place: Place, arguments: list[str], reason: str):
    place.run("merge", "refusals", "--into", "communication")
    place.run("retire", "latency_cost")
    before = place.events()
    said = place.run(*arguments)
    assert said.startswith("refused: ")
    assert reason in said
    assert "\n" not in said
    assert place.events() == before


def test_a_proposed_merge_and_split_are_answered_by_their_ids(place: Place):
    asked: dict[str, Any] = {"source": "t", "discovery_id": "d", "closeness": 0.75, "reason": "near"}
    place.append(
        proposed("part-1", "too long", "communication"),
        proposed("part-2", "too cold", "communication"),
        MergeProposed(id="m", proposal_id="merge-1", mode_id="tool_use", merged=("mode-a",), **asked),
        SplitProposed(
            id="s", proposal_id="split-1", mode_id="communication", part_ids=("part-1", "part-2"), **asked
        ),
    )  # fmt: skip
    assert list(place.listed("--queue")) == ["mode-a", "merge-1", "split-1"]
    assert "accept that, split-1" in place.run("accept", "part-1")
    place.run("accept", "merge-1", "--by", "ann")
    place.run("accept", "split-1", "--by", "ann")
    merged, split = place.events()[-2:]
    assert isinstance(merged, ModeMerged)
    assert (merged.merged, merged.mode_id, merged.proposal_id) == (("mode-a",), "tool_use", "merge-1")
    assert isinstance(split, ModeSplit)
    assert split.proposal_id == "split-1"
    assert {"part-1", "part-2"} < set(place.listed())
    assert "communication" not in place.listed()
    assert "nothing waits under it" in place.run("reject", "merge-1")
    assert place.run("list", "--queue") == "nothing waits for an answer\n"


TEAM = """\
modes:
  - id: billing
    name: Billing
    parent: money
    definition: Wrong or missing invoices.
    owner: payments
    examples: [I was charged twice., My invoice is missing., Wrong VAT., Refund never came., No receipt.]
    comments: ["app|7"]
  - id: communication
    owner: style
retire: [latency_cost]
"""


def test_a_teams_file_is_taken_over_once_and_what_is_exported_says_the_same(place: Place, tmp_path: Path):
    file, out = tmp_path / "team.yaml", tmp_path / "out.yaml"
    file.write_text(TEAM)
    dry = place.run("import", str(file), "--dry-run")
    assert "defined: billing\ndefined: communication\nretired: latency_cost" in dry
    assert len(place.events()) == 1
    place.run("import", str(file), "--by", "ann")
    listed = place.listed()
    assert (listed["billing"]["status"], listed["billing"]["owner"]) == ("accepted", "payments")
    assert (listed["communication"]["owner"], listed["communication"]["name"]) == ("style", "Communication")
    assert "latency_cost" not in listed
    before = place.events()
    assert "nothing to do" in place.run("import", str(file))
    place.run("export", "--out", str(out))
    assert {"id": "billing", "comments": ["app|7"]}.items() <= yaml.safe_load(out.read_text())["modes"][-1].items()
    assert "nothing to do" in place.run("import", str(out))
    assert place.events() == before


def test_a_teams_file_takes_the_place_of_the_built_in_modes_and_can_give_it_back(place: Place, tmp_path: Path):
    before = set(place.listed())
    out = tmp_path / "before.yaml"
    place.run("export", "--out", str(out))
    file = tmp_path / "team.yaml"
    file.write_text(TEAM.partition("retire")[0])
    place.run("import", str(file), "--replace")
    assert set(place.listed()) == {"billing", "communication"}
    place.run("import", str(out), "--replace")
    assert set(place.listed()) == before - {"mode-a"}  # it was only proposed, so no file names it


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("id: billing", "id: Billing!"), ":2: modes.0.id: String should match pattern"),
        (("owner: payments", "ownr: payments"), ":6: modes.0.ownr: Extra inputs are not permitted"),
        (("[I was charged twice.", "[3"), ":7: modes.0.examples.0: Input should be a valid string, not 3"),
        (("    owner: style", "    id: twice"), ":10: modes.1.id: the key stands here twice"),
        (("id: communication", "id: billing"), ":9: modes.1.id: 'billing' stands in the file twice"),
        (("id: communication", "id: praise"), ":9: modes.1.id: 'praise' is no failure mode"),
        (("    name: Billing\n", ""), ":2: modes.0: 'billing' is a new mode: give it a name"),
        (("name: Billing", "name: tool USE"), ":3: modes.0.name: the name 'tool USE' is taken by tool_use"),
        (("parent: money", "parent: billing"), ":4: modes.0.parent: parents in a circle: billing < billing"),
        (("[latency_cost]", "[billing]"), ":11: retire.0: 'billing' stands among the modes as well"),
        (("[latency_cost]", "[latency]"), "there is no failure mode 'latency'; near it: latency_cost"),
        (("owner: style", "examples: [wrong  vat.]"), ":10: modes.1.examples.0: it is an example of billing as well"),
        (("definition: Wrong", "definition: 'Wrong"), "not YAML"),
        ((TEAM, ""), ":1: file: Input should be a valid dictionary"),
        ((TEAM, "- a\n"), ":1: file: Input should be a valid dictionary"),
    ],
)
def test_a_file_is_refused_with_its_line(place: Place, tmp_path: Path, change: tuple[str, str], reason: str):
    file = tmp_path / "team.yaml"
    assert change[0] in TEAM
    file.write_text(TEAM.replace(*change))
    before = place.events()
    said = place.run("import", str(file))
    assert reason in said, said
    assert said.startswith("refused: ")
    assert "\n" not in said
    assert place.events() == before


def test_a_mode_is_split_by_a_file_of_parts(place: Place, tmp_path: Path):
    file = tmp_path / "parts.yaml"
    file.write_text(
        "modes:\n- {id: too_long, name: Too long, comments: ['app|1']}\n- {id: tone, name: Tone, examples: [Cold.]}\n"
    )
    place.run("split", "communication", "--from", str(file))
    listed = place.listed()
    assert (listed["tone"]["parent"], listed["too_long"]["status"]) == ("answer", "accepted")
    assert "split into:           too_long, tone" in place.run("show", "communication")
    file.write_text("modes:\n- {id: a, name: A, owner: x}\n- {id: b, name: B}\n")
    assert ":2: modes.0.owner: a part has that of the mode" in place.run("split", "tool_use", "--from", str(file))


def test_parents_in_a_circle_on_the_log_are_still_listed(place: Place):
    place.append(
        ModeDefined(id="1", source="t", mode_id="a", name="A", parent="b", defined_by="x"),
        ModeDefined(id="2", source="t", mode_id="b", name="B", parent="a", defined_by="x"),
    )
    assert {"a", "b"} < set(place.listed())
