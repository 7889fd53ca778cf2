"""A format that isn't named is told by what is in the file; what isn't certain is asked."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from flywheel.cli import cli
from ingest.importers import IMPORTERS
from ingest.importers.beginning import take
from ingest.importers.detect import candidates, detect
from models.errors import TerminalError

SHARED = Path(__file__).parents[4] / "shared" / "data"
FORMATS = {
    "aider_leaderboards": "aider",
    "aider_leaderboards/*.yml": "aider",
    "aider_leaderboards/*.jsonl": "aider",
    "alpaca_eval_leaderboard/*.csv": "alpaca-eval",
    "copilot_cups/*.csv": "copilot-cups",
    "copilot_cups/*.jsonl.gz": "copilot-cups",
    "export_shapes/braintrust*": "braintrust",
    "export_shapes/chatgpt*": "chatgpt",
    "export_shapes/cloudevents*": "cloudevents",
    "export_shapes/experiment*": "exposures",
    "export_shapes/github_issue/*": "github",
    "export_shapes/helicone*": "helicone",
    "export_shapes/intercom_fivetran_seed": "intercom",
    "export_shapes/intercom_fivetran_seed/*": "intercom",
    "export_shapes/langfuse*": "langfuse",
    "export_shapes/langsmith*": "langsmith",
    "export_shapes/openwebui*": "openwebui",
    "export_shapes/otlp_logs*": "otlp-logs",
    "export_shapes/otlp_traces*": "otlp-traces",
    "export_shapes/phoenix*": "phoenix",
    "export_shapes/posthog*": "posthog",
    "export_shapes/sheets*": "csv",
    "export_shapes/slack_export": "slack",
    "export_shapes/slack_export/*": "slack",
    "export_shapes/slack_export/*/*": "slack",
    "export_shapes/slack_export_zulip_fixture/*": "slack",
    "export_shapes/tensorzero*": "tensorzero",
    "export_shapes/weave*": "weave",
    "export_shapes/zendesk*": "zendesk",
    "llmbar_prefs/*.gz": "llmbar",
    "oasst_messages/*.jsonl*": "oasst",
    "pandalm_human_prefs/*.gz": "pandalm",
    "pythia_checkpoint_evals/*.gz": "pythia",
    "swe_agent_trajectories": "swe-agent",
    "swe_agent_trajectories/*.gz": "swe-agent",
    "tau_bench_gpt4o_airline/*.gz": "tau-bench",
    "wildbench_judgments/*.gz": "wildbench",
    "zendesk_fivetran_seeds": "zendesk",
    "zendesk_fivetran_seeds/*.csv": "zendesk",
}
NONE = ("banking77_cluster_yardstick/*.csv", "clinc150/*.json", "export_shapes", "clinc150", "oasst_messages")


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared input is not beside this checkout")
@pytest.mark.parametrize("pattern", FORMATS)
def test_every_shared_file_is_told_rightly(pattern: str) -> None:
    found = {str(path): [each.name for each in candidates(path, IMPORTERS.values())] for path in SHARED.glob(pattern)}
    assert found
    assert set(map(tuple, found.values())) == {(FORMATS[pattern],)}, found


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared input is not beside this checkout")
@pytest.mark.parametrize("pattern", NONE)
def test_what_is_no_export_is_told_to_be_none(pattern: str) -> None:
    for path in SHARED.glob(pattern):
        with pytest.raises(TerminalError, match="say --format NAME, one of aider"):
            detect(path, IMPORTERS.values())


def test_every_format_has_files_that_it_is_told_by() -> None:
    assert {*FORMATS.values(), "inspect"} == set(IMPORTERS)  # of Inspect we have a log of our own: test_inspect.py


def test_what_could_be_two_formats_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "feedback.jsonl"
    path.write_text(json.dumps({"helicone-id": "q", "rating": True, "conversation_id": "c", "content": "{}"}) + "\n")
    with pytest.raises(TerminalError, match="could be chatgpt or helicone: say which, as in --format chatgpt"):
        detect(path, IMPORTERS.values())


def test_a_list_of_texts_is_no_sheet_of_feedback(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text("text,category\nwhere is my card,card\n")
    assert candidates(path, IMPORTERS.values()) == []
    path.write_text("text,email\nwhere is my card,a@example.com\n")
    assert [importer.name for importer in candidates(path, IMPORTERS.values())] == ["csv"]


@pytest.mark.parametrize("content", [b'{"a": ', b"[1, 2]", b"", b"\xff\xfe\x00", b'"words"', b"- a\n- b\n", b"[[[["])
def test_a_file_that_cannot_be_read_has_no_beginning(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "odd.yml"
    path.write_bytes(content)
    assert candidates(path, IMPORTERS.values()) == []


def test_the_first_members_of_an_array_are_enough(tmp_path: Path) -> None:
    path = tmp_path / "cut.json"
    path.write_text('[\n {"span_id": "s",\n "name": "n", "annotator_kind": "LLM"},\n {"span')
    assert [row["name"] for row in take(path).rows] == ["n"]


def test_import_finds_the_format_and_says_it(tmp_path: Path, place: Any) -> None:
    path = place.files / "some.jsonl"
    path.write_text(json.dumps({"helicone-id": "q", "rating": False, "created_at": None}) + "\n")
    (place.files / "values.txt").write_text("")
    sheet = place.files / "votes.csv"
    sheet.write_text("target,vote,user\nr1,9,u1\n")
    (place.home.path / "values.toml").write_text('[[values]]\nproducer = "acme"\ndown = [9]\n')
    arguments = ["import", "--home", str(place.home.path), "--producer", "acme", str(sheet)]
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    assert "votes.csv (csv): 1 rows: 1 accepted" in done.output
    told = CliRunner().invoke(cli, ["import", "--home", str(place.home.path), str(path)])
    assert "some.jsonl (helicone): 1 rows: 1 accepted" in told.output
    unknown = place.files / "unknown.csv"
    unknown.write_text("a,b\n1,2\n")
    refused = CliRunner().invoke(cli, ["import", "--home", str(place.home.path), str(unknown)])
    assert isinstance(refused.exception, TerminalError)
    assert {event.thumb for event in place.events("feedback")} == {"down"}
