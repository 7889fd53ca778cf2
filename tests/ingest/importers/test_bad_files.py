"""Files that can't be imported: one line that says what to do, and nothing written."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from ingest.importers import find
from models.errors import TerminalError

GOOD = {"message_id": "m1", "emoji": "+1", "count": 2}


def refused(place: Any, path: Path, form: str = "oasst") -> str:
    with pytest.raises(TerminalError) as raised:
        place.run(form, path)
    assert place.log.topics() == []
    message = str(raised.value)
    assert "\n" not in message
    return message


def test_an_unknown_format_names_the_known_ones_and_the_nearest() -> None:
    with pytest.raises(TerminalError, match=r"'langfuze': did you mean 'langfuse'\? known are aider, alpaca-eval"):
        find("langfuze")


def test_a_folder_a_missing_file_and_an_empty_one(place: Any) -> None:
    assert "is a folder: name the files" in refused(place, place.files)
    assert "is not there: check the name" in refused(place, place.files / "nothing.jsonl")
    empty = place.files / "empty.jsonl"
    empty.write_bytes(b"\xef\xbb\xbf\r\n \n")
    assert "is empty: nothing to import" in refused(place, empty)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"PAR1\x15\x04\x15", "a Parquet file: export it as JSON lines or CSV"),
        (b"PK\x03\x04\x14\x00", "a workbook: unpack it, save the sheet as CSV, or convert a log of Inspect to JSON"),
        ("id,text\n".encode("utf-16"), "in UTF-16: save it as UTF-8"),
        (bytes(range(256)) * 8, "a binary file"),
    ],
)
def test_what_is_no_text(place: Any, content: bytes, said: str) -> None:
    path = place.files / "input.jsonl"
    path.write_bytes(content)
    assert said in refused(place, path)


def test_a_gzip_file_that_was_cut_off_or_damaged_leaves_nothing(place: Any) -> None:
    whole = gzip.compress("\n".join(json.dumps({**GOOD, "message_id": f"m{n}"}) for n in range(5_000)).encode())
    path = place.files / "cut.jsonl.gz"
    path.write_bytes(whole[:-100])
    assert "was cut off: fetch or pack it again" in refused(place, path)
    path.write_bytes(whole[:2_000] + b"\x00\x00\x00\x00" + whole[2_004:])
    assert "damaged gzip file" in refused(place, path)


def test_gzip_is_told_by_content_and_counts_as_the_same_file(place: Any) -> None:
    line = json.dumps(GOOD).encode() + b"\n"
    (place.files / "packed.jsonl").write_bytes(gzip.compress(line))
    (place.files / "plain.jsonl.gz").write_bytes(line)
    assert place.run("oasst", place.files / "packed.jsonl").events == 2
    assert place.run("oasst", place.files / "plain.jsonl.gz").already_imported


def test_a_file_of_another_format_is_found_before_anything_is_written(place: Any) -> None:
    path = place.files / "other.jsonl"
    path.write_text("".join(json.dumps({"message_id": f"m{n}", "emoji": "+1", "count": 1}) + "\n" for n in range(200)))
    message = refused(place, path, "langsmith")
    assert "is not in format langsmith: none of its first 50 rows can be read; row 1: not LangSmith feedback" in message


@pytest.mark.parametrize("text", ['{"rows": [1, 2]}', '{\n  "rows": [\n    1\n  ]\n}', '"words"', "12", "not json"])
def test_json_of_another_shape(place: Any, text: str) -> None:
    path = place.files / "shape.json"
    path.write_text(text)
    refused(place, path, "phoenix")


def test_a_document_that_was_cut_off(place: Any) -> None:
    path = place.files / "cut.json"
    path.write_text('{\n "data": [\n  {"span_id": "s"')
    assert "it may have been cut off; export it again" in refused(place, path, "phoenix")
