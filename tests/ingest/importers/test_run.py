"""An import as a whole: counted to the row, harmless when repeated, complete after a kill."""

import gzip
import os
import signal
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from ingest.home import Home
from ingest.importers import find
from ingest.importers.run import import_file
from ingest.log import open_log, replay
from ingest.sink import Sink
from models.events import parse
from models.events.imports import FileImported

ROW = {"message_id": "m", "emoji": "+1", "count": 2}
SHARED = Path(__file__).parents[4] / "shared" / "data"


def rows(count: int) -> list[dict[str, Any]]:
    return [{**ROW, "message_id": f"m{number}"} for number in range(count)]


def test_a_file_ends_with_its_account(place: Any) -> None:
    seen: list[tuple[int, int]] = []
    path = place.files / "counts.jsonl"
    place.rows("oasst", rows(3), "counts.jsonl")
    *_, done = place.events("imports")
    assert isinstance(done, FileImported)
    assert (done.file_name, done.rows, done.rows_accepted, done.events, done.format) == (
        "counts.jsonl",
        3,
        3,
        6,
        "oasst",
    )
    assert {event.import_id for event in place.events("feedback")} == {done.file_import_id}
    import_file(
        place.log, place.home, find("oasst"), path, {"source": "x"}, lambda done, total: seen.append((done, total))
    )
    assert seen[-1] == (path.stat().st_size, path.stat().st_size)


def test_the_same_file_again_says_so_and_appends_nothing(place: Any) -> None:
    first = place.rows("oasst", rows(3))
    before = place.log.end_offsets("imports")
    again = place.rows("oasst", rows(3), "renamed.jsonl")
    assert again.already_imported
    assert (again.file_import_id, again.rows, again.duplicate, again.events) == (first.file_import_id, 3, 3, 0)
    assert place.log.end_offsets("imports") == before


@pytest.mark.parametrize("landed", [False, True])
def test_a_grown_file_adds_only_its_new_rows_whether_landed_or_not(place: Any, landed: bool) -> None:
    place.rows("oasst", rows(5))
    if landed:
        Sink(place.log, place.home).drain()
    account = place.rows("oasst", rows(7), "grown.jsonl")
    assert (account.accepted, account.duplicate, account.events, account.events_duplicate) == (2, 5, 4, 10)
    assert len(place.events("feedback")) == 14


def test_a_home_whose_path_reads_like_a_pattern_is_imported_into_again(place: Any, tmp_path: Path) -> None:
    home = Home.open(tmp_path / "team [1] *?" / "home")
    with open_log(None, home.path) as log:
        odd = place._replace(home=home, log=log)
        odd.rows("oasst", rows(5))
        Sink(log, home).drain()
        account = odd.rows("oasst", rows(7), "grown.jsonl")
    assert (account.accepted, account.duplicate) == (2, 5)


def on_log(home: Path) -> tuple[set[tuple[str, ...]], int]:
    """(source, id, content, import row) of every event, and how many records there are."""
    with open_log(None, home) as log:
        events = [
            parse(record.value, record.headers)
            for topic in ("responses", "feedback", "imports")
            for record in replay(log, topic)
        ]
    return {(e.source, e.id, e.content_hash(), str(e.import_row)) for e in events}, len(events)


SCRIPT = """
import sys
from pathlib import Path
from ingest.home import Home
from ingest.home import Home
from ingest.importers import find
from ingest.importers.run import import_file
from ingest.log import open_log
home = Home.open(Path(sys.argv[1]))
with open_log(None, home.path) as log:
    print(import_file(log, home, find("oasst"), Path(sys.argv[2]), {}), flush=True)
"""


def importing(home: Path, path: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(home), str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
    )


def test_an_import_that_is_killed_is_repeated_and_ends_with_the_same_events(place: Any, tmp_path: Path) -> None:
    lines = [*rows(5_000), '{"message_id": "bad\\u0000"}']
    whole = place.rows("oasst", lines)
    expected, _ = on_log(place.home.path)
    killed = tmp_path / "killed"
    importer = importing(killed, place.files / "input.jsonl")
    database = killed / "log" / "log.sqlite"
    while importer.poll() is None:
        if database.exists():
            with open_log(None, killed) as log:
                if sum(log.end_offsets("feedback").values()) > 0:
                    importer.send_signal(signal.SIGKILL)
                    break
        time.sleep(0.005)
    importer.communicate()
    assert importer.returncode == -signal.SIGKILL
    part, _ = on_log(killed)
    assert 0 < len(part) < len(expected)
    again = importing(killed, place.files / "input.jsonl")
    said, errors = again.communicate()
    assert again.returncode == 0, errors
    events, written = on_log(killed)
    assert events == expected
    assert written == len(expected)
    assert said.strip() == str(whole)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared input is not beside this checkout")
@pytest.mark.parametrize(
    ("form", "name", "expected"),
    [
        ("oasst", "oasst_messages/messages_flat.jsonl.gz", (1167, 687, 280, 200, 2449)),
        ("oasst", "oasst_messages/emoji_counts.jsonl", (1571, 1571, 0, 0, 4271)),
        ("langfuse", "export_shapes/langfuse_scores_blob.jsonl", (4, 4, 0, 0, 7)),
        ("langfuse", "export_shapes/langfuse_scores_v3.json", (2, 0, 2, 0, 0)),
        ("langsmith", "export_shapes/langsmith_feedback.jsonl", (3, 3, 0, 0, 10)),
        ("phoenix", "export_shapes/phoenix_span_annotations.json", (2, 2, 0, 0, 4)),
        ("cloudevents", "export_shapes/cloudevents_kafka_structured.jsonl", (4, 3, 0, 0, 3)),
    ],
)
def test_real_input_is_accounted_for_to_the_row(place: Any, form: str, name: str, expected: tuple[int, ...]) -> None:
    account = place.run(form, SHARED / name)
    assert (account.rows, account.accepted, account.refused, account.without_feedback, account.events) == expected


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared input is not beside this checkout")
def test_the_first_of_wildbench_are_accounted_for_to_the_row(place: Any) -> None:
    with gzip.open(SHARED / "wildbench_judgments" / "judgments.jsonl.gz", "rt") as judgements:
        account = place.rows("wildbench", [line.rstrip() for line in islice(judgements, 1_500)])
    assert (account.rows, account.accepted, account.events, account.events_duplicate) == (1500, 1500, 4021, 479)
