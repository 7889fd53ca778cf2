"""Pythia's evals of training checkpoints, in one long table: model, step, task, metric, value, standard error.

Baselines and interventions share model, step, shots and task with the plain runs: the file that a number is from tells
them apart, as arm and as run. Left out: the folder of the shots, which the number of shots says.
"""

import re
from functools import cache

from ingest.importers.base import Context, Importer, Refused, Unfit
from ingest.importers.exposures import read
from ingest.importers.reported import Run, whole
from ingest.importers.sample import with_columns
from ingest.importers.votes import as_float
from models.events import AnyEvent
from models.events.base import Json

SOURCE = "import/pythia"
NEEDED = ("model", "step", "task", "metric", "value", "source_file")


def events(row: Json, context: Context) -> list[AnyEvent]:
    """The number, where there is one. Raises Unfit for another kind of row, Refused for a number that is none."""
    if not row.keys() >= {*NEEDED}:
        raise Unfit(f"not a row of Pythia's evals: it needs {', '.join(NEEDED)}")
    value, step = as_float(row["value"]), whole(row["step"])
    if value is None:
        if not row["value"]:
            return []
        raise Refused(f"the value {row['value']!r} is no number")
    if step is None:
        raise Refused(f"the step {row['step']!r} is no whole number")
    run = Run(
        source=context.source(SOURCE),
        tool="pythia",
        benchmark=row["task"],
        model=row["model"],
        arm=arm(row["source_file"]),
        run_id=row["source_file"],
        step=step,
        shots=whole(row.get("num_fewshot")),
    )
    return [run.says(row["metric"], value, as_float(row.get("stderr")))]


@cache
def arm(file: str) -> str | None:
    """`intervention-1.4b-deduped-long_step114000.json` is of the arm intervention-long, a plain run of none."""
    found = re.match(r"(baseline|intervention)-.*?(-long)?_step", file)
    return None if found is None else found[1] + (found[2] or "")


PYTHIA = Importer(
    "pythia",
    "Evals of training checkpoints, one long table: evals_long.csv.gz",
    read,
    events,
    SOURCE,
    fits=with_columns(*NEEDED),
    topics=("results",),
)
