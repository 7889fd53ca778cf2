"""Bad input: one line that says what to do, exit status not 0, nothing half-written."""

import gzip
import json
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.home import Home
from tests.e2e.command import command, environment, flywheel, run
from tests.e2e.marts import differences, dump


def refused(*arguments: str | Path, home: Path, log: str | None = None) -> str:
    """The one line that the command ended with."""
    done = run(*arguments, home=home, log=log)
    assert done.returncode not in (0, -11), done.stdout
    lines = done.stderr.strip().splitlines()
    assert "Traceback" not in done.stderr
    assert lines
    return lines[-1]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("notes.txt", b"just\nsome\nwords\n", "another --format"),
        ("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "picture.png"),
        ("latin.jsonl", b'{"session_id": "caf\xe9"}\n', "latin.jsonl"),
        ("empty.jsonl", b"", "empty"),
        ("cut.jsonl.gz", gzip.compress(b'{"a": 1}\n' * 5000)[:-20], "cut.jsonl.gz"),
    ],
)
def test_a_file_of_the_wrong_kind_is_refused_whole(tmp_path: Path, name: str, content: bytes, said: str):
    file = tmp_path / name
    file.write_bytes(content)
    home = tmp_path / "home"
    line = refused("import", "--format", "wildbench", file, home=home)
    assert said in line
    status = json.loads(run("status", "--json", home=home).stdout)
    assert status["lag"] == {}


def test_a_folder_a_missing_file_and_an_unknown_format_say_what_to_do(tmp_path: Path):
    home = tmp_path / "home"
    assert str(tmp_path) in refused("import", "--format", "csv", tmp_path, home=home)
    assert "missing.csv" in refused("import", "--format", "csv", tmp_path / "missing.csv", home=home)
    assert "langfuse" in refused("import", "--format", "langfus", tmp_path / "missing.csv", home=home)


def test_a_mistyped_home_makes_no_new_one(tmp_path: Path):
    for arguments in (("sink", "--once"), ("build",), ("modes", "discover"), ("evals", "serve", "--once")):
        assert "no home at" in refused(*arguments, home=tmp_path / "typo")
    assert not (tmp_path / "typo").exists()


def test_a_file_of_which_every_row_is_refused_is_no_success(tmp_path: Path):
    file = tmp_path / "scores.json"
    score = {"id": "s1", "name": "ok", "dataType": "NUMERIC", "value": 1, "source": "API"}
    file.write_text(json.dumps({"data": [score]}))
    assert "no row was accepted" in refused("import", "--format", "langfuse", file, home=tmp_path / "home")


def test_an_unreachable_broker_is_one_line_with_its_address(tmp_path: Path):
    line = refused("sink", "--once", home=tmp_path / "home", log="kafka://127.0.0.1:9")
    assert "127.0.0.1:9" in line


def test_a_log_url_of_another_kind_is_refused(tmp_path: Path):
    assert "redis" in refused("sink", "--once", home=tmp_path / "home", log="redis://localhost")


def test_a_home_made_by_a_newer_version_is_refused_and_left_alone(tmp_path: Path):
    (tmp_path / "home.json").write_text('{"layout": 99, "home_id": "x"}')
    assert "newer version" in refused("sink", "--once", home=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["home.json"]


def test_a_home_that_is_a_file_is_refused(tmp_path: Path):
    (tmp_path / "home").write_text("x")
    assert "is a file" in refused("status", home=tmp_path / "home")


def test_before_there_is_a_home_or_a_build_sql_and_report_say_which_command_comes_first(tmp_path: Path):
    home = tmp_path / "home"
    for first in ("flywheel demo", "flywheel build"):
        for arguments in (("sql", "select 1"), ("report", "--out", tmp_path / "r.html")):
            assert first in refused(*arguments, home=home)
        assert not (tmp_path / "r.html").exists()
        assert home.exists() == (first == "flywheel build")
        Home.open(home)


def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path):
    """A limit on the size of files stands in for the disk's end: a write fails in the middle, as on a full disk."""
    file = tmp_path / "comments.csv"
    file.write_text("id,user,comment\n" + "".join(f"t{n},u{n},too slow and wrong number {n}\n" for n in range(5000)))
    home = tmp_path / "home"
    arguments = (
        "import",
        "--format",
        "csv",
        "--map",
        "target=id",
        "--map",
        "author=user",
        "--map",
        "text=comment",
        file,
    )
    done = on_a_full_disk(400, *arguments, home=home)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    again = run(*arguments, home=home)
    assert again.returncode == 0, again.stderr
    assert "5000 accepted" in again.stdout


@pytest.mark.timeout(900)  # three cold builds and their comparison
def test_a_full_disk_in_a_build_publishes_nothing_and_the_cold_build_after_it_equals_the_incremental_one(
    demo_home: Path, copy_of: Callable[[Path], Path]
):
    home = copy_of(demo_home)
    published = (home / "warehouse.duckdb").resolve()
    done = on_a_full_disk(published.stat().st_size // 2048, "build", "--full-refresh", home=home)
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert "nothing is published" in lines[0]
    assert (home / "warehouse.duckdb").resolve() == published
    assert [build.name for build in (home / "builds").iterdir() if build.name.startswith(".")] == []
    assert differences(dump(demo_home), dump(home)) == {}
    flywheel("build", "--full-refresh", home=home)
    assert (home / "warehouse.duckdb").resolve() != published
    assert differences(dump(demo_home), dump(home)) == {}


def on_a_full_disk(kibibytes: int, *arguments: str | Path, home: Path) -> subprocess.CompletedProcess[str]:
    """The finished process, in which no file could grow beyond that size."""
    words = " ".join(map(shlex.quote, command(*arguments, home=home, log=None)))
    limited = ["bash", "-c", f"ulimit -f {kibibytes}; exec {words}"]
    return subprocess.run(limited, capture_output=True, text=True, env=environment(), check=False)
