"""What importers bring, in the marts: reported evals, preferences, aliases of metrics, and corrected imports."""

import csv
import gzip
import io
from ast import literal_eval
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest.importers import find
from ingest.importers.run import import_file
from ingest.log import open_log, publish
from ingest.sink import Sink
from models.events.preference import PreferenceGiven
from models.events.thumb import ThumbGiven
from models.feedback import Author, Target
from models.metrics import ALIASES, metric_key
from tests.transforms.comparing import differing

SHARED = Path(__file__).parents[3] / "shared/data"
"""Where it is not there, tests of it are skipped."""
KEY = ("model", "step", "num_fewshot", "task", "metric")
SHEET = "target,score,comment,user,date\nr1,4,fine,u1,02/11/2026\nr1,1,slow,u2,13/11/2026\n"
RUNS = "- {dirname: d1, model: m, edit_format: whole, pass_rate_1: 40, pass_rate_2: 60.5, total_cost: 1}\n"
EVALS = "model,step,task,metric,value,stderr,num_fewshot,source_file\n" + "".join(
    f"m,3,t,acc,{value},,0,{file}_step3.json\n"
    for value, file in ((0.5, "m"), (0.6, "baseline-m"), (0.7, "intervention-m"))
)


def repeated() -> str:
    """Of Pythia's evals, those of one checkpoint whose key occurs more than once."""
    with gzip.open(SHARED / "pythia_checkpoint_evals/evals_long.csv.gz", "rt") as file:
        rows = [row for row in csv.DictReader(file) if (row["model"], row["step"]) == ("pythia-70m-deduped", "135000")]
    keys = Counter(tuple(row[name] for name in KEY) for row in rows)
    out = io.StringIO()
    table = csv.DictWriter(out, rows[0])
    table.writeheader()
    table.writerows(row for row in rows if keys[tuple(row[name] for name in KEY)] > 1)
    return out.getvalue()


def preference(number: int, first: str, second: str, choice: Any, author: str) -> PreferenceGiven:
    return PreferenceGiven(
        id=f"p{number}",
        source="ours",
        first=Target(kind="response", id=first),
        second=Target(kind="response", id=second),
        author=Author(kind="human", id=author),
        choice=choice,
        status="given" if choice else "skipped",
        sequence=number,
    )


def thumb(number: int, metric: str, said: Any) -> ThumbGiven:
    target = Target(kind="response", id="r9")
    author = Author(kind="human", id="u1")
    return ThumbGiven(
        id=f"t{number}", source="ours", target=target, author=author, thumb=said, metric=metric, sequence=number
    )


PREFERENCES = (
    preference(1, "a", "b", "first", "x"),
    preference(2, "b", "a", "second", "y"),
    preference(3, "a", "b", "second", "z"),
    preference(4, "a", "b", "tie", "x"),
    preference(5, "b", "a", "second", "x"),
    preference(6, "c", "d", None, "x"),
    preference(7, "c", "d", "first", "y"),
)
THUMBS = (thumb(1, "user-feedback", "up"), thumb(2, "User Score", "down"), thumb(3, "quality", "up"))


@pytest.fixture(scope="module")
def imported(new_lab: Callable[[str], Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A lab that was built after a sheet was imported, and again after it was corrected and all else had come."""
    lab, folder = new_lab("imported"), tmp_path_factory.mktemp("exports")
    files = {"sheet.csv": SHEET, "runs.yml": RUNS, "evals.csv": EVALS}
    for name, text in files.items():
        (folder / name).write_text(text)
    with open_log(None, lab.home.path) as log:

        def run(form: str, name: str, **options: str) -> str:
            return import_file(log, lab.home, find(form), folder / name, options).file_import_id

        first = run("csv", "sheet.csv", dates="dmy")
        Sink(log, lab.home).drain()
        lab.build()
        run("csv", "sheet.csv", dates="dmy", scale="1..5", corrects=first)
        run("aider", "runs.yml")
        (folder / "runs.yml").write_text(RUNS.replace("60.5", "61"))
        run("aider", "runs.yml")
        run("pythia", "evals.csv")
        if SHARED.exists():
            (folder / "shared.csv").write_text(repeated())
            run("pythia", "shared.csv")
            tau = "tau_bench_gpt4o_airline/trajectories.jsonl.gz"
            for form, place in (("aider", "aider_leaderboards"), ("tau-bench", tau)):
                import_file(log, lab.home, find(form), SHARED / place, {})
        publish(log, [*PREFERENCES, *THUMBS])
        Sink(log, lab.home).drain()
    lab.build()
    return lab


def test_a_corrected_import_counts_no_longer_and_stays_in_the_lake(imported: Any) -> None:
    rows = imported.ask(
        "select author_id, kind, level, is_negative from fct_feedback where source = 'import/csv' order by all"
    )
    assert rows == [
        ("u1", "comment", None, False),
        ("u1", "score", 0.75, False),
        ("u2", "comment", None, True),
        ("u2", "score", 0.0, True),
    ]
    assert imported.one("select count(*) from raw.feedback where source = 'import/csv'") == 8
    accounts = imported.ask(
        "select corrects is null, corrected_by is null, events, events_quarantined"
        " from fct_import_accounts where format = 'csv' order by received_at"
    )
    assert accounts == [(True, False, 4, 0), (False, True, 4, 0)]


def test_a_build_after_a_correction_equals_a_cold_one(imported: Any, new_lab: Callable[[str], Any]) -> None:
    cold = new_lab("cold")
    cold.home.lake.symlink_to(imported.home.lake)
    cold.build()
    assert differing(imported.home.warehouse, cold.home.warehouse) == []


def test_strict_and_lenient_stand_side_by_side_and_a_mended_number_counts(imported: Any) -> None:
    rows = imported.ask(
        "select strictness, value, strict_value, lenient_value, gap, versions from fct_reported_evals"
        " where metric = 'pass_rate' and benchmark = 'aider/runs' order by 1"
    )
    assert rows == [("lenient", 61.0, 40.0, 61.0, 21.0, 2), ("strict", 40.0, 40.0, 61.0, 21.0, 1)]
    assert imported.ask(
        "select strictness, gap from fct_reported_evals where metric = 'total_cost' and benchmark = 'aider/runs'"
    ) == [(None, None)]


def test_evals_of_others_have_their_saturation_arm_by_arm(imported: Any) -> None:
    rows = imported.ask(
        "select eval, arm, best, strict, lenient, gap, is_spent, axis from fct_eval_saturation"
        " where eval like 'aider/runs %' or eval like 't %' order by eval, arm nulls first"
    )
    assert rows[:1] == [("aider/runs pass_rate", "whole", "m", 0.4, 0.61, 0.21, False, "day")]
    assert [(arm, best, strict, axis) for _, arm, best, strict, _, _, _, axis in rows[1:]] == [
        (None, "m@3", 0.5, "step"), ("baseline", "m@3", 0.6, "step"), ("intervention", "m@3", 0.7, "step"),
    ]  # fmt: skip


@pytest.mark.skipif(not SHARED.exists(), reason=f"{SHARED} is not there")
def test_public_evals_read_strictly_and_leniently(imported: Any) -> None:
    [(single, every, some)] = imported.ask(
        "select max(any_of_k) filter (where k = 1), max(all_of_k) filter (where k = 4),"
        " max(any_of_k) filter (where k = 4) from fct_pass_rates where kind = 'rollout'"
    )
    assert (round(single, 9), round(every, 9), round(some, 9)) == (0.42, 0.2, 0.72)
    gap = "select round(avg(gap), 1) from fct_reported_evals where benchmark = 'aider/polyglot_leaderboard'"
    assert imported.one(f"{gap} and metric = 'pass_rate' and strictness = 'strict'") == 26.4


@pytest.mark.skipif(not SHARED.exists(), reason=f"{SHARED} is not there")
def test_what_is_repeated_but_for_its_arm_stays_apart(imported: Any) -> None:
    [(rows, keys, arms)] = imported.ask(
        "select count(*), count(distinct (model, step, shots, benchmark, metric)),"
        " count(distinct coalesce(arm, 'plain')) from fct_reported_evals where model = 'pythia-70m-deduped'"
    )
    assert keys == 172 and rows >= 2 * keys and arms >= 2


def test_arms_that_share_all_else_are_rows_of_their_own(imported: Any) -> None:
    rows = imported.ask("select arm, value from fct_reported_evals where benchmark = 't' order by 2")
    assert rows == [(None, 0.5), ("baseline", 0.6), ("intervention", 0.7)]


def test_a_pair_is_one_in_whatever_order_and_an_authors_last_word_counts(imported: Any) -> None:
    rows = imported.ask(
        "select event_id, is_current, raters, round(agreement, 3), majority from fct_preferences order by event_id"
    )
    assert rows == [
        ("p1", False, 3, 0.333, "first"),
        ("p2", True, 3, 0.333, "second"),
        ("p3", True, 3, 0.333, "first"),
        ("p4", False, 3, 0.333, "first"),
        ("p5", True, 3, 0.333, "second"),
        ("p6", True, 1, None, "first"),
        ("p7", True, 1, None, "first"),
    ]


def test_names_of_one_metric_are_one_vote(imported: Any) -> None:
    rows = imported.ask(
        "select metric, metric_key, is_current from fct_feedback"
        " where source = 'ours' and kind = 'thumb' order by event_id"
    )
    assert rows == [
        ("user-feedback", "thumb", False),
        ("User Score", "thumb", True),
        ("quality", "quality", True),
    ]


def test_the_table_of_aliases_is_the_same_in_sql_and_in_python(imported: Any) -> None:
    text = (Path(__file__).parents[2] / "transforms/macros/metrics.sql").read_text()
    said = literal_eval(text[text.index("return(") + 7 : text.index(") }}")].strip())
    assert {key: tuple(aliases) for key, aliases in said.items()} == ALIASES
    names = imported.ask("select distinct metric, metric_key from fct_feedback where metric is not null")
    assert all(metric_key(metric) == key for metric, key in names)
