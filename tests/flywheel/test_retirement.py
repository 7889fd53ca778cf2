from pathlib import Path

import duckdb

from flywheel.behaviour_specs import hardness
from flywheel.retirement import SATURATED, retire_spent
from ingest.home import Home
from ingest.jobs.board import Board
from ingest.log import open_log

SPECS = (
    # spec, key, latest, retired, spent
    ("eval-1", "eval:tool_use:behaviour", True, False, True),
    ("eval-2", "eval:tool_use:behaviour", False, False, True),
    ("eval-3", "eval:scope_calibration:behaviour", True, True, True),
    ("eval-4", "eval:context_memory:behaviour", True, False, False),
    ("eval-5", "eval:communication:policy", True, False, True),
    ("eval-6", "bench:support-desk:v1", True, False, True),
    ("eval-7", "eval:tasks-toolz:policy", True, False, True),
)


def published(folder: Path) -> Home:
    """A home whose build says of each eval how far it is used up."""
    home = Home.open(folder / "home")
    build = home.builds / "1"
    build.mkdir(parents=True)
    with duckdb.connect(str(build / "warehouse.duckdb")) as file:
        file.execute(
            "create table fct_eval_saturation (spec_id text, best text, strict double, low double, is_spent bool)"
        )
        file.execute("create table fct_specs (spec_id text, spec_key text, is_latest bool, retired_at timestamptz)")
        for spec, key, latest, retired, spent in SPECS:
            file.execute("insert into fct_eval_saturation values (?, 'm', .97, .93, ?)", [spec, spent])
            moment = "2026-01-01T00:00:00Z" if retired else None
            file.execute("insert into fct_specs values (?, ?, ?, ?)", [spec, key, latest, moment])
    home.warehouse.symlink_to(build / "warehouse.duckdb")
    return home


def test_what_is_spent_is_retired_once_but_for_monitors_and_private_benchmarks(tmp_path: Path) -> None:
    home = published(tmp_path)
    with open_log(None, home.path) as log:
        assert [each.spec_id for each in retire_spent(home, log)] == ["eval-1", "eval-7"]
        retire_spent(home, log)
        board = Board(log)
        board.refresh()
    assert board.retired.keys() == {"eval-1", "eval-7"}
    assert board.retired["eval-1"] == f"{SATURATED}m passes 97.0%, 93.0% at the least"


def test_each_time_the_next_one_is_harder() -> None:
    dials = [hardness(times) for times in range(4)]
    assert dials[0] is None and dials[1:] == sorted(x for x in dials[1:] if x is not None) and dials[-1] == 1.0
