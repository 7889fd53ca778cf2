"""`flywheel demo --data`: exports of other tools go round the loop, and every row of every file is accounted for."""

import gzip
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path

import pytest

from ingest.home import Home
from ingest.importers import find
from ingest.importers.run import Account, import_file
from ingest.log import open_log
from ingest.sink import Sink
from tests.e2e.command import flywheel, run
from tests.e2e.exports import EQUAL_VOTES, EXPORTS, REASONS, Expected, Export, write_exports
from tests.e2e.marts import count, rows

Copy = Callable[[Path], Path]

SHARED = Path(__file__).parents[3] / "shared" / "data"
SHARED_EXPORTS = (
    ("oasst", "oasst_messages/messages_flat.jsonl.gz"),
    ("langfuse", "export_shapes/langfuse_scores_blob.jsonl"),
    ("langfuse", "export_shapes/langfuse_scores_v3.json"),
    ("langsmith", "export_shapes/langsmith_feedback.jsonl"),
    ("phoenix", "export_shapes/phoenix_span_annotations.json"),
    ("csv", "export_shapes/sheets_dogfood.csv"),
)
WILDBENCH_ROWS = 300


def test_exports_go_round_the_whole_loop(data_home: Path):
    for table in ("fct_feedback", "fct_feedback_modes", "fct_specs", "fct_eval_results", "fct_training_runs"):
        assert count(data_home, f"select count(*) from {table}") > 0, table
    discovered = "select count(*) from dim_failure_modes where origin = 'discovered' and status = 'accepted'"
    assert count(data_home, discovered) >= 1
    of_discovered = "select count(*) from fct_eval_results join dim_failure_modes using (mode_id)"
    assert count(data_home, f"{of_discovered} where origin = 'discovered' and value is not null") >= 1
    assert count(data_home, "select count(*) from fct_jobs where status <> 'completed'") == 0


def test_every_row_of_every_file_is_accounted_for(data_home: Path):
    names = {Path(export.name).name: [export.expected] for export in EXPORTS}
    assert accounts(data_home) == names


def test_each_refused_row_is_kept_with_its_reason(data_home: Path):
    refused = rows(
        data_home,
        "select format, reason, text from stg_imports__refused_rows join fct_import_accounts using (file_import_id)"
        " order by format, row",
    )
    for form, parts in REASONS.items():
        kept = [(str(reason), str(text)) for name, reason, text in refused if name == form]
        assert len(kept) == len(parts), form
        assert all(part in reason for part, (reason, _) in zip(parts, kept, strict=True)), kept
        assert all(text for _, text in kept)
    assert len(refused) == sum(map(len, REASONS.values()))


def test_equal_votes_of_nobody_all_count(data_home: Path):
    for source, votes in EQUAL_VOTES.items():
        counted = (
            "select count(*) from fct_feedback where thumb = 'up' and author_id is null and is_current"
            f" and source = '{source}'"
        )
        assert count(data_home, counted) == votes, source


def test_a_file_again_adds_nothing_and_one_that_has_grown_its_new_rows(data_home: Path, copy_of: Copy, tmp_path: Path):
    home, folder = copy_of(data_home), tmp_path / "grown"
    write_exports(folder, grown=True)
    told = built(home, [(export.expected.format, folder / export.name) for export in EXPORTS])
    assert [account.events for account in told] == [export.events_grown for export in EXPORTS]
    assert [account.already_imported for account in told] == [not export.rows_grown for export in EXPORTS]
    grown = sum(export.events_grown for export in EXPORTS)
    responses = "select count(*) from fct_responses"
    feedback = "select count(*) from fct_feedback"
    added = count(home, feedback) - count(data_home, feedback) + count(home, responses) - count(data_home, responses)
    assert added == grown
    assert accounts(home) == {
        Path(export.name).name: [export.expected, *([after(export)] if export.rows_grown else [])] for export in EXPORTS
    }


def test_a_folder_without_exports_and_a_missing_one_are_one_line(tmp_path: Path):
    (tmp_path / "notes.txt").write_text("nothing to import")
    unknown, missing = "holds no file of a format that we know", "is not a folder"
    for folder, said in ((tmp_path, unknown), (tmp_path / "missing", missing)):
        done = run("demo", "--data", folder, home=tmp_path / "home")
        assert done.returncode == 1
        assert done.stderr.splitlines() == [line for line in done.stderr.splitlines() if said in line]
        assert len(done.stderr.splitlines()) == 1


def test_every_row_of_the_shared_exports_is_accounted_for(tmp_path: Path):
    wildbench = SHARED / "wildbench_judgments" / "judgments.jsonl.gz"
    files = [(form, SHARED / name) for form, name in SHARED_EXPORTS]
    missing = [str(path) for path in [wildbench, *(path for _, path in files)] if not path.is_file()]
    if missing:
        pytest.skip(f"the shared exports do not stand beside this checkout: no {missing[0]}")
    first = tmp_path / "judgments.jsonl.gz"
    with gzip.open(wildbench, "rt") as content, gzip.open(first, "wt") as cut:
        cut.writelines(islice(content, WILDBENCH_ROWS))
    home = tmp_path / "home"
    files.append(("wildbench", first))
    built(home, files)
    there = accounts(home)
    assert there.keys() == {path.name for _, path in files}
    for form, path in files:
        (account,) = there[path.name]
        assert account.format == form
        assert account.rows == (rows_of(path) if ".jsonl" in path.suffixes else account.rows) > 0
    unknown = (
        "select count(*) from fct_feedback where import_id not in (select file_import_id from fct_import_accounts)"
    )
    assert count(home, unknown) == 0


def accounts(home: Path) -> dict[str, list[Expected]]:
    """File name -> its accounts, the oldest first. Rows and events of each must add up."""
    found: dict[str, list[Expected]] = {}
    columns = (
        "format, rows, rows_accepted, rows_duplicate, rows_refused, rows_without_feedback, events, events_quarantined"
    )
    for name, accepted, duplicate, *numbers in rows(
        home,
        f"select file_name, events_accepted, events_duplicate, {columns} from fct_import_accounts order by received_at",
    ):
        account = Expected(*numbers)
        assert account.rows == account.accepted + account.duplicate + account.refused + account.without_feedback, name
        assert account.events == accepted + duplicate + account.quarantined, name
        assert duplicate == 0, name
        found.setdefault(name, []).append(account)
    return found


def after(export: Export) -> Expected:
    """The account of the file once it has grown: what it had before is there already, or refused again."""
    before = export.expected
    return before._replace(
        rows=before.rows + export.rows_grown,
        accepted=export.rows_grown,
        duplicate=before.accepted + before.duplicate,
        events=export.events_grown,
        quarantined=0,
    )


def built(home: Path, files: Sequence[tuple[str, Path]]) -> list[Account]:
    """What became of these files (format and path), imported with the demo's options, landed and built."""
    place = Home.open(home)
    with open_log(None, home) as log:
        options = {"csv": {"dates": "dmy"}}
        told = [import_file(log, place, find(form), path, options.get(form, {})) for form, path in files]
        Sink(log, place).drain()
    flywheel("build", home=home)
    return told


def rows_of(path: Path) -> int:
    """Lines with something on them."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as content:
        return sum(1 for line in content if line.strip())
