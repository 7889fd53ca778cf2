"""The attempts at samples of evals, as statistics read them."""

from collections.abc import Iterator

import polars as pl

from stats.paired import Attempt

COLUMNS = ("spec_id", "checkpoint_id", "sample_id", "trial", "cluster", "score", "lenient")


def by_eval(samples: pl.DataFrame) -> Iterator[tuple[str, dict[str, pl.DataFrame]]]:
    """Spec by spec, in the order of their ids: the attempts of each checkpoint (COLUMNS)."""
    for (spec_id,), of_spec in sorted(samples.partition_by("spec_id", as_dict=True).items()):
        parts = of_spec.sort("sample_id", "trial").partition_by("checkpoint_id", as_dict=True)
        yield str(spec_id), {str(name): rows for (name,), rows in sorted(parts.items())}


def attempts(rows: pl.DataFrame, column: str = "score") -> list[Attempt]:
    """Of one checkpoint at one eval. An attempt without a score has None."""
    return [Attempt(*row) for row in rows.select("sample_id", column, "cluster").iter_rows()]
