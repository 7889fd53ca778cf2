"""AlpacaEval's leaderboards: of models (win rate as it is and controlled for length), and of the judges themselves.

The first column has no header: it is the model, or the judge. The raw win rate is the lenient reading of a run, the one
controlled for length the strict one. An empty cell is no number.
"""

import re

from ingest.importers.base import Context, Importer, Unfit, text_of
from ingest.importers.exposures import read
from ingest.importers.reported import Run, whole
from ingest.importers.sample import Sample
from ingest.importers.votes import as_float
from models.events import AnyEvent
from models.events.base import Json

SOURCE = "import/alpaca_eval"
WIN_RATES = (("win_rate", "standard_error", "lenient"), ("length_controlled_winrate", "lc_standard_error", "strict"))
OTHERS = ("n_wins", "n_wins_base", "n_draws", "discrete_win_rate", "avg_length")


def events(row: Json, context: Context) -> list[AnyEvent]:
    """A number each. Raises Unfit for a row without a name, or of another table."""
    name = text_of(row.get(""))
    if name is None or not row.keys() & {"win_rate", "Human agreement"}:
        raise Unfit("not a leaderboard of AlpacaEval: it needs a first column without header, and win_rate")
    judges = "Human agreement" in row
    run = Run(
        source=context.source(SOURCE),
        tool="alpaca_eval",
        benchmark="alpaca_eval/evaluators" if judges else "alpaca_eval",
        model=name,
        arm=text_of(row.get("mode")),
        samples=whole(row.get("# parsed" if judges else "n_total")),
    )
    return _judge(row, run) if judges else _model(row, run)


def _model(row: Json, run: Run) -> list[AnyEvent]:
    found: list[AnyEvent] = []
    for column, error, strictness in WIN_RATES:
        value = as_float(row.get(column))
        if value is not None:
            found.append(run.says("win_rate", value, as_float(row.get(error)), strictness))  # type: ignore[arg-type]
    return found + [run.says(column, value) for column in OTHERS if (value := as_float(row.get(column))) is not None]


def _judge(row: Json, run: Run) -> list[AnyEvent]:
    numbers = {column: as_float(cell) for column, cell in row.items() if column not in ("", "mode", "# parsed")}
    return [run.says(_slug(column), value) for column, value in numbers.items() if value is not None]


def _slug(column: str) -> str:
    """`Price [$/1000 examples]` as price."""
    return re.sub(r"[^a-z0-9]+", "_", column.partition("[")[0].lower()).strip("_")


def _fits(sample: Sample) -> bool:
    return sample.table("", "win_rate") or sample.table("", "Human agreement")


ALPACA_EVAL = Importer(
    "alpaca-eval",
    "Leaderboards of models and of judges: weighted_alpaca_eval_gpt4_turbo_leaderboard.csv",
    read,
    events,
    SOURCE,
    fits=_fits,
    topics=("results",),
)
