import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from ingest.home import Home
from ingest.reader import query, reading
from models.errors import FlywheelError, TransientError

HOLDER = """
import sys, duckdb
with duckdb.connect(sys.argv[1]) as connection:
    connection.execute("insert into t values (7)")
    print("holding", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.open(tmp_path / "home")


def publish(home: Home, number: int) -> Path:
    """A generation whose one table holds its number; readers see it from now on."""
    file = home.builds / str(number) / "warehouse.duckdb"
    file.parent.mkdir(parents=True)
    with duckdb.connect(file) as connection:
        connection.execute(f"create table t as select {number} as x")
    link = home.path / ".next"
    link.symlink_to(file)
    link.replace(home.warehouse)
    return file


@pytest.mark.parametrize(
    "sql",
    [
        "select x from t",
        "from t",
        "with a as (from t) select * from a",
        "values (1)",
        "table t",
        "-- why\nshow tables",
        "describe t",
        "summarize t",
        "explain select x from t",
        "explain /* é */ (analyze, format json) select 'é' from t",
        "explain describe t",
        "pivot t on x using count(*)",
        "/* a */ with p as (pivot t on x using count(*)) select * from p",
        "select 1; select x from t",
    ],
)
def test_what_reads_is_answered(home: Home, sql: str) -> None:
    publish(home, 1)
    assert query(home, sql).rows


def test_other_files_can_be_read(home: Home, tmp_path: Path) -> None:
    publish(home, 1)
    (tmp_path / "theirs.csv").write_text("a\n5\n")
    assert query(home, "select a from read_csv(?)", [str(tmp_path / "theirs.csv")]).rows == [(5,)]


@pytest.mark.parametrize(
    "sql",
    [
        "copy (select 1) to '{file}'",
        "copy (pivot t on x using count(*)) to '{file}'",
        "/* /* */ select */ copy (pivot t on x using count(*)) to '{file}'",
        "explain analyze copy (select 1) to '{file}'",
        "explain (analyze) copy t to '{file}'",
        "/* explain */ explain analyze copy (pivot t on x using count(*)) to '{file}'",
        "select 1; copy (select 1) to '{file}'",
        "export database '{file}'",
        "attach '{file}' as other",
        "call enable_logging(storage='file', storage_path='{file}')",
        "set threads = 1",
        "insert into t values (1)",
        "create temp table u as select 1",
        "explain analyze insert into t select 1",
        "pragma enable_profiling",
        "install httpfs",
        "prepare p as select 1",
        " -- nothing",
    ],
)
def test_what_does_more_than_read_is_refused(home: Home, tmp_path: Path, sql: str) -> None:
    publish(home, 1)
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(FlywheelError, match=r"^flywheel sql only reads: "):
        query(home, sql.format(file=file))
    assert file.read_text() == "mine"


def test_no_function_of_a_question_writes_a_log(home: Home, tmp_path: Path) -> None:
    publish(home, 1)
    with pytest.raises(FlywheelError, match="configuration has been locked"):
        query(home, f"select * from enable_logging(storage='file', storage_path='{tmp_path / 'logs'}')")
    assert not (tmp_path / "logs").exists()


def test_a_wrong_query_is_one_line(home: Home) -> None:
    publish(home, 1)
    for sql in ("select y from t", "selec 1"):
        with pytest.raises(FlywheelError, match=r"^the query failed: [^\n]*$"):
            query(home, sql)


def test_all_questions_of_one_reading_see_one_generation_in_utc(home: Home) -> None:
    publish(home, 1)
    with reading(home) as ask:
        assert ask("select x from t").rows == [(1,)]
        publish(home, 2)
        assert ask("select x from t").rows == [(1,)]
        assert ask("select x, current_setting('TimeZone') from t where x = ?", [1]).rows == [(1, "UTC")]
        with reading(home) as newer:
            assert newer("select x, current_setting('TimeZone') from t").rows == [(2, "UTC")]
            with reading(home) as beside:
                assert beside("select x, current_setting('TimeZone') from t").rows == [(2, "UTC")]
    assert query(home, "select x from t") == (["x"], [(2,)])


@pytest.fixture
def unpublished_in_use(home: Home) -> Iterator[Path]:
    """The file of the next build, held read-write by another process."""
    publish(home, 1)
    file = home.builds / "2" / "warehouse.duckdb"
    file.parent.mkdir()
    file.write_bytes(home.warehouse.read_bytes())
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None and holder.stdin is not None
        assert holder.stdout.readline() == "holding\n"
        yield file
        holder.stdin.close()


def test_case_41_readers_never_meet_the_lock_of_the_build(home: Home, unpublished_in_use: Path) -> None:
    with pytest.raises(duckdb.IOException, match="lock"):
        duckdb.connect(unpublished_in_use, read_only=True)
    with reading(home) as ask, reading(home) as beside:
        assert ask("select x from t").rows == beside("select x from t").rows == [(1,)]


def test_case_41_a_build_that_vanished_is_tried_again_and_no_more_than_that(home: Home) -> None:
    file = publish(home, 1)
    file.unlink()
    pauses: list[float] = []

    def publish_meanwhile(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 2:
            publish(home, 2)

    with reading(home, pause=publish_meanwhile) as ask:
        assert ask("select x from t").rows == [(2,)]
    assert len(pauses) == 2

    (home.builds / "2" / "warehouse.duckdb").unlink()
    pauses.clear()
    with (
        pytest.raises(TransientError, match=r"warehouse.duckdb points at .*: No such file.*flywheel build"),
        reading(home, pause=pauses.append),
    ):
        pass
    assert len(pauses) == 4


def test_before_the_first_build_it_says_how_to_make_one(home: Home) -> None:
    with pytest.raises(FlywheelError, match=r"no build yet in .*: run flywheel sink --once && flywheel build"):
        query(home, "select 1")
