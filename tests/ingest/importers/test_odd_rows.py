"""Rows of the right format with values of the wrong kind: refused with a reason, whatever stands where."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic import ValidationError

from ingest.importers import IMPORTERS, find
from ingest.importers.base import Context, Refused

SHARED = Path(__file__).parents[4] / "shared" / "data"
FILES = {
    "aider": "aider_leaderboards/all_runs_flat.jsonl",
    "alpaca-eval": "alpaca_eval_leaderboard/evaluators_leaderboard.csv",
    "braintrust": "export_shapes/braintrust_feedback.jsonl",
    "chatgpt": "export_shapes/chatgpt_export_message_feedback.json",
    "cloudevents": "export_shapes/cloudevents_kafka_binary.json",
    "copilot-cups": "copilot_cups/telemetry.jsonl.gz",
    "csv": "export_shapes/sheets_dogfood.csv",
    "exposures": "export_shapes/experiment_exposures.csv",
    "github": "export_shapes/github_issue/issues_opened_shape.json",
    "helicone": "export_shapes/helicone_feedback.jsonl",
    "inspect": str(Path(__file__).parent / "inspect_log.json"),
    "intercom": "export_shapes/intercom_fivetran_seed",
    "langfuse": "export_shapes/langfuse_scores_blob.jsonl",
    "langsmith": "export_shapes/langsmith_feedback.jsonl",
    "llmbar": "llmbar_prefs/llmbar.jsonl.gz",
    "oasst": "oasst_messages/emoji_counts.jsonl",
    "openwebui": "export_shapes/openwebui_feedbacks.json",
    "otlp-logs": "export_shapes/otlp_logs_gen_ai_evaluation_result.json",
    "otlp-traces": "export_shapes/otlp_traces_gen_ai_agent.json",
    "pandalm": "pandalm_human_prefs/testset-v1.jsonl.gz",
    "phoenix": "export_shapes/phoenix_span_annotations.json",
    "posthog": "export_shapes/posthog_ai_events.jsonl",
    "pythia": "pythia_checkpoint_evals/evals_long.csv.gz",
    "slack": "export_shapes/slack_export",
    "swe-agent": "swe_agent_trajectories/demo__function_calling_simple.traj.gz",
    "tau-bench": "tau_bench_gpt4o_airline/trajectories.jsonl.gz",
    "tensorzero": "export_shapes/tensorzero_feedback.jsonl",
    "weave": "export_shapes/weave_feedback.jsonl",
    "wildbench": "wildbench_judgments/judgments.jsonl.gz",
    "zendesk": "export_shapes/zendesk_satisfaction_ratings.json",
}
ODD: tuple[Any, ...] = (None, "", "x", "-1", 7, -1e300, True, [], {}, [1], [None], {"a": [1]}, [{"a": 1}])
TABLES = ("alpaca-eval", "csv", "exposures", "intercom", "pythia")
"""Formats whose cells are texts, whatever stands in them."""
OURS = {"csv": 2, "otlp-traces": 3}
"""How deep a row begins to be what the file holds: above it the reader has put it together."""
PATHS_AT_MOST = 80
LARGE = 20_000
"""Characters from which one row is enough."""


def paths(content: Any, depth: int = 0) -> Iterator[tuple[Any, ...]]:
    """The place of everything in `content`, six levels deep, of lists the first and the last."""
    if depth == 6:
        return
    keys: list[Any] = list(cast(dict[str, Any], content)) if isinstance(content, dict) else []
    if isinstance(content, list) and content:
        keys = sorted({0, len(cast(list[Any], content)) - 1})
    for key in keys:
        yield (key,)
        yield from ((key, *rest) for rest in paths(content[key], depth + 1))


def changed(content: Any, path: tuple[Any, ...], value: Any) -> Any:
    copy = json.loads(json.dumps(content))
    place = copy
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return copy


def test_every_format_is_tried() -> None:
    assert set(FILES) == set(IMPORTERS)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared input is not beside this checkout")
@pytest.mark.parametrize("form", FILES)
def test_a_value_of_the_wrong_kind_refuses_its_row_and_nothing_more(form: str) -> None:
    importer = find(form)
    rows = [row.content for row in islice(importer.read(SHARED / FILES[form], {"dates": "dmy"}), 3) if row.content]
    assert rows
    rows = rows[: 1 if len(json.dumps(rows[0])) > LARGE else 3]
    odd = [value for value in ODD if isinstance(value, str)] if form in TABLES else ODD
    for content in rows:
        theirs = (path for path in paths(content) if len(path) >= OURS.get(form, 1))
        for path in islice(theirs, PATHS_AT_MOST):
            for value in odd:
                try:
                    importer.events(changed(content, path, value), Context({"dates": "dmy"}))
                except (Refused, ValidationError) as refusal:
                    assert str(refusal)
                except Exception as error:
                    raise AssertionError(f"{form} {path} = {value!r}: {error!r}") from error
