"""Aider's leaderboards: the YAML files (or the folder of them), and the same runs as JSON lines.

The first try is the strict reading of a run, the one after a look at the tests' output the lenient one. All other
numbers of a run are metrics of their own. Left out: how it was started (command, versions, commit).
"""

from collections.abc import Iterator
from pathlib import Path, PurePath

from ingest.importers.base import Context, Importer, Options, Row, Unfit, text_of
from ingest.importers.folders import in_folder
from ingest.importers.json_rows import read_lines
from ingest.importers.moments import exported_moment
from ingest.importers.reported import Run, whole
from ingest.importers.sample import Sample
from ingest.importers.votes import as_float
from ingest.importers.yaml_rows import read_yaml
from models.events import AnyEvent
from models.events.base import Json

SOURCE = "import/aider"
FILES = "*.yml *.yaml"
ARM = ("edit_format", "editor_model", "editor_edit_format", "reasoning_effort", "thinking_tokens")
PAIRS = (
    ("pass_rate_1", "pass_rate", "strict"),
    ("pass_rate_2", "pass_rate", "lenient"),
    ("pass_num_1", "pass_num", "strict"),
    ("pass_num_2", "pass_num", "lenient"),
)
WORDS = {
    "dirname",
    "model",
    "date",
    "versions",
    "commit_hash",
    "command",
    "released",
    "_released",
    "test_cases",
    "_file",
}
"""Fields that are no metric, though some look like numbers."""


def _read(path: Path, options: Options) -> Iterator[Row]:
    return (read_yaml if path.name.removesuffix(".gz").endswith((".yml", ".yaml")) else read_lines)(path, options)


def events(row: Json, context: Context) -> list[AnyEvent]:
    """Every number of the run. Raises Unfit for another kind of row."""
    run_id, model = text_of(row.get("dirname")), text_of(row.get("model"))
    if run_id is None or model is None or "pass_rate_1" not in row:
        raise Unfit("not a run of Aider: it needs dirname, model and pass_rate_1")
    arms = [text for name in ARM if (text := text_of(row.get(name)))]
    run = Run(
        source=context.source(SOURCE),
        tool="aider",
        benchmark=f"aider/{PurePath(str(row.get('_file', 'runs'))).name.partition('.')[0]}",
        model=model,
        occurred_at=exported_moment(text_of(row.get("date"))),
        arm="/".join(arms) or None,
        run_id=run_id,
        samples=whole(row.get("test_cases")),
    )
    found = [
        run.says(metric, value, strictness=strictness)  # type: ignore[arg-type]
        for field, metric, strictness in PAIRS
        if (value := as_float(row.get(field))) is not None
    ]
    others = sorted(row.keys() - WORDS - {*ARM} - {field for field, _, _ in PAIRS})
    return found + [run.says(field, value) for field in others if (value := as_float(row[field])) is not None]


def _fits(sample: Sample) -> bool:
    if sample.yaml:
        return all(row.keys() >= {"dirname", "pass_rate_1"} for row in sample.rows)
    return sample.any_row("dirname", "pass_rate_1")


AIDER = Importer(
    "aider",
    "Leaderboards of coding runs, a YAML file or the folder of them: polyglot_leaderboard.yml",
    in_folder(FILES, _read),
    events,
    SOURCE,
    fits=_fits,
    topics=("results",),
    folder=FILES,
    named=True,
)
