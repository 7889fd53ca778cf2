"""The shared exports, read in place: every row accounted for, and the numbers that their descriptions give."""

import csv
import gzip
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, cast

import pytest

from ingest.importers import find
from ingest.importers.base import Context, Refused
from ingest.importers.pythia import arm

SHARED = Path(__file__).parents[4] / "shared" / "data"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared input is not beside this checkout")


@pytest.mark.parametrize(
    ("form", "name", "expected"),
    [
        ("braintrust", "export_shapes/braintrust_feedback.jsonl", (2, 2, 0, 0, 0, 4)),
        ("chatgpt", "export_shapes/chatgpt_export_message_feedback.json", (2, 2, 0, 0, 0, 6)),
        ("cloudevents", "export_shapes/cloudevents_kafka_binary.json", (2, 1, 0, 1, 0, 1)),
        ("cloudevents", "export_shapes/cloudevents_kafka_structured.jsonl", (4, 3, 1, 0, 0, 3)),
        ("exposures", "export_shapes/experiment_exposures.csv", (6, 6, 0, 0, 0, 6)),
        ("github", "export_shapes/github_issue/issues_opened_shape.json", (1, 1, 0, 0, 0, 5)),
        ("helicone", "export_shapes/helicone_feedback.jsonl", (2, 2, 0, 0, 0, 3)),
        ("intercom", "export_shapes/intercom_fivetran_seed", (3, 0, 0, 0, 3, 0)),
        ("openwebui", "export_shapes/openwebui_feedbacks.json", (2, 2, 0, 0, 0, 9)),
        ("otlp-logs", "export_shapes/otlp_logs_gen_ai_evaluation_result.json", (3, 3, 0, 0, 0, 7)),
        ("otlp-traces", "export_shapes/otlp_traces_gen_ai_agent.json", (1, 1, 0, 0, 0, 2)),
        ("posthog", "export_shapes/posthog_ai_events.jsonl", (3, 3, 0, 0, 0, 5)),
        ("slack", "export_shapes/slack_export", (4, 2, 0, 0, 2, 15)),
        ("slack", "export_shapes/slack_export_zulip_fixture/normal_thread.json", (4, 4, 0, 0, 0, 4)),
        ("tensorzero", "export_shapes/tensorzero_feedback.jsonl", (4, 4, 0, 0, 0, 6)),
        ("weave", "export_shapes/weave_feedback.jsonl", (2, 2, 0, 0, 0, 3)),
        ("zendesk", "export_shapes/zendesk_satisfaction_ratings.json", (2, 2, 0, 0, 0, 6)),
        ("zendesk", "zendesk_fivetran_seeds", (129, 28, 0, 2, 99, 35)),
        ("alpaca-eval", "alpaca_eval_leaderboard/evaluators_leaderboard.csv", (32, 32, 0, 0, 0, 290)),
        ("copilot-cups", "copilot_cups/copilot_post_survey.csv", (21, 21, 0, 0, 0, 320)),
        ("swe-agent", "swe_agent_trajectories", (22, 22, 0, 0, 0, 44)),
    ],
)
def test_every_row_is_accounted_for(place: Any, form: str, name: str, expected: tuple[int, ...]) -> None:
    account = place.run(form, SHARED / name)
    counted = (account.rows, account.accepted, account.duplicate, account.refused, account.without_feedback)
    assert (*counted, account.events) == expected
    assert account.rows == sum(counted[1:])


def read(form: str, name: str, rows: int | None = None) -> Iterator[tuple[dict[str, Any], list[Any]]]:
    """(row, its events), without a log; a refused row has none."""
    importer, context = find(form), Context({})
    for row in islice(importer.read(SHARED / name, {}), rows):
        content = cast(dict[str, Any], row.content)
        try:
            yield content, cast(list[Any], importer.events(content, context))
        except Refused:
            yield content, []


def test_the_flat_runs_of_aider_say_what_the_yaml_files_say() -> None:
    from_yaml, from_lines = (
        {event.id for _, events in read("aider", name) for event in events}
        for name in ("aider_leaderboards", "aider_leaderboards/all_runs_flat.jsonl")
    )
    assert len(from_yaml) == 4385
    assert from_yaml == from_lines


def test_aiders_second_look_gains_26_points_on_polyglot() -> None:
    events = [event for _, found in read("aider", "aider_leaderboards/polyglot_leaderboard.yml") for event in found]
    rates = [event for event in events if event.metric == "pass_rate"]
    gaps = [sum(event.value for event in rates if event.strictness == each) for each in ("lenient", "strict")]
    assert round((gaps[0] - gaps[1]) / 69, 1) == 26.4


def test_pythias_keys_are_unique_once_the_arm_is_in_them() -> None:
    with gzip.open(SHARED / "pythia_checkpoint_evals" / "evals_long.csv.gz", "rt") as content:
        rows = list(csv.DictReader(content))
    without = Counter((r["model"], r["step"], r["num_fewshot"], r["task"], r["metric"]) for r in rows)
    assert sum(count for count in without.values() if count > 1) == 14_408
    keys = {(r["model"], r["step"], r["num_fewshot"], r["task"], r["metric"], arm(r["source_file"])) for r in rows}
    assert len(keys) == len(rows) == 130_410


def test_tau_bench_is_strict_and_lenient_as_described() -> None:
    rollouts = [events[-1] for _, events in read("tau-bench", "tau_bench_gpt4o_airline/trajectories.jsonl.gz")]
    assert len({rollout.rollout_id for rollout in rollouts}) == 200
    assert sum(step.is_error is True for rollout in rollouts for step in rollout.steps) == 73
    by_task: dict[str, list[float]] = {}
    for rollout in rollouts:
        by_task.setdefault(rollout.task_id, []).append(rollout.reward)
    assert sum(min(each) for each in by_task.values()) / 50 == 0.20
    assert sum(sum(each) for each in by_task.values()) / 200 == 0.42
    assert sum(max(each) for each in by_task.values()) / 50 == 0.72


def test_every_generation_of_swe_agent_has_all_its_turns() -> None:
    for row, (_, rollout) in read("swe-agent", "swe_agent_trajectories"):
        turns = row.get("trajectory") or [each for each in row["history"] if each["role"] == "assistant"]
        assert sum(step.role == "assistant" for step in rollout.steps) == len(turns), row["_file"]
        calls = [call for step in rollout.steps for call in step.calls]
        assert len(calls) == len(turns)
        answers = [step for step in rollout.steps if step.role == "tool"]
        assert len(answers) in (len(turns), len(turns) - 1)
        assert all(step.tool for step in answers)


def test_pandalm_is_unanimous_on_879_and_copilot_accepted_386_of_what_it_showed() -> None:
    choices = [
        [event.choice for event in events if hasattr(event, "choice")]
        for _, events in read("pandalm", "pandalm_human_prefs/testset-v1.jsonl.gz")
    ]
    assert (len(choices), sum(len(set(each)) == 1 for each in choices)) == (999, 879)
    scores = Counter(
        event.value
        for _, events in read("copilot-cups", "copilot_cups/telemetry.jsonl.gz")
        for event in events
        if getattr(event, "metric", None) == "accepted"
    )
    assert scores == {1.0: 386, 0.0: 710}
