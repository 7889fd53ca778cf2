"""Leaderboards and harnesses: Aider, AlpacaEval, Pythia."""

from typing import Any

import pytest

from ingest.importers.pythia import arm
from models.errors import TerminalError

RUN = """
- dirname: 2024-12-21--gpt
  test_cases: 225
  model: "gpt: mini"
  edit_format: whole
  commit_hash: 5e21
  pass_rate_1: 0.9
  pass_rate_2: 3.6
  date: 2024-12-21
  versions: 0.69.2.dev
  total_cost: 0.3236
- dirname: 2024-12-22--gpt
  model: gpt
  edit_format: architect
  editor_model: small
  pass_rate_1: 40.1
"""


def test_a_run_of_aider_is_a_number_a_metric_strict_and_lenient(place: Any) -> None:
    path = place.files / "polyglot_leaderboard.yml"
    path.write_text(RUN.lstrip())
    account = place.run("aider", path)
    assert (account.rows, account.accepted, account.events) == (2, 2, 4)
    numbers = {(event.run_id, event.metric, event.strictness): event for event in place.events("results")}
    strict, lenient = (numbers["2024-12-21--gpt", "pass_rate", reading] for reading in ("strict", "lenient"))
    assert (strict.value, lenient.value, strict.arm, strict.samples) == (0.9, 3.6, "whole", 225)
    assert (strict.benchmark, strict.model) == ("aider/polyglot_leaderboard", "gpt: mini")
    assert str(strict.occurred_at) == "2024-12-21 00:00:00+00:00"
    assert ("2024-12-21--gpt", "commit_hash", None) not in numbers
    assert numbers["2024-12-22--gpt", "pass_rate", "strict"].arm == "architect/small"


def test_the_same_runs_as_json_lines_are_duplicates(place: Any) -> None:
    path = place.files / "quant.yml"
    path.write_text(RUN.lstrip())
    place.run("aider", path)
    row = {
        "dirname": "2024-12-22--gpt",
        "model": "gpt",
        "edit_format": "architect",
        "editor_model": "small",
        "pass_rate_1": 40.1,
        "_file": "quant.yml",
    }
    assert place.rows("aider", [row], "all.jsonl").duplicate == 1
    assert place.run("aider", path).already_imported
    renamed = place.files / "renamed.yml"
    renamed.write_text(RUN.lstrip())
    assert place.run("aider", renamed).accepted == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- &a {dirname: x}\n- *a\n", "has an alias"),
        ("runs: [1]\n", "no list of runs"),
        ("- {dirname: x\n", "no YAML that can be read"),
    ],
)
def test_yaml_that_is_no_list_of_runs(place: Any, text: str, said: str) -> None:
    path = place.files / "runs.yml"
    path.write_text(text)
    with pytest.raises(TerminalError, match=said):
        place.run("aider", path)


def test_alpaca_evals_first_column_has_no_header_and_an_empty_cell_is_no_number(place: Any) -> None:
    path = place.files / "leaderboard.csv"
    path.write_text(
        ",win_rate,standard_error,n_total,mode,length_controlled_winrate,lc_standard_error\n"
        "model-a,76.9,0.9,805,community,86.4,0.1\nmodel-b,70.1,,805,minimal,,\n"
    )
    place.run("alpaca-eval", path)
    numbers = {(event.model, event.strictness): event for event in place.events("results")}
    assert numbers["model-a", "lenient"].value == 76.9
    assert (numbers["model-a", "strict"].value, numbers["model-a", "strict"].stderr) == (86.4, 0.1)
    assert (numbers["model-b", "lenient"].stderr, ("model-b", "strict") in numbers) == (None, False)
    judges = place.files / "evaluators.csv"
    judges.write_text(",Human agreement,Price [$/1000 examples],Bias,# parsed,mode\njudge,70.9,14.4,,2592,verified\n")
    place.run("alpaca-eval", judges)
    said = {
        event.metric: event.value for event in place.events("results") if event.benchmark == "alpaca_eval/evaluators"
    }
    assert said == {"human_agreement": 70.9, "price": 14.4}


PYTHIA = "model,step,shots_dir,task,metric,value,stderr,num_fewshot,source_file\n"


def test_the_arm_of_pythia_keeps_baseline_and_intervention_apart(place: Any) -> None:
    path = place.files / "evals.csv"
    files = ("1.4b_step3.json", "baseline-1.4b_step3.json", "intervention-1.4b-long_step3.json")
    path.write_text(PYTHIA + "".join(f"p-1.4b,3,,lambada,acc,0.5,0.1,0,{file}\n" for file in files))
    account = place.run("pythia", path)
    assert (account.accepted, account.duplicate) == (3, 0)
    events = place.events("results")
    assert [event.arm for event in events] == [None, "baseline", "intervention-long"]
    assert (events[0].step, events[0].shots, events[0].stderr, events[0].run_id) == (3, 0, 0.1, "1.4b_step3.json")


def test_pythias_cells_that_are_none(place: Any) -> None:
    path = place.files / "evals.csv"
    rows = ["m,3,,t,acc,,,0,f.json", "m,3,,t,acc,high,,0,f.json", "m,last,,t,acc,1,,0,f.json", "m,3,,t,acc,1,,,f.json"]
    path.write_text(PYTHIA + "\n".join(rows) + "\n")
    account = place.run("pythia", path)
    assert (account.accepted, account.refused, account.without_feedback) == (1, 2, 1)
    assert arm("intervention-1.4b-deduped_step1.json") == "intervention"
