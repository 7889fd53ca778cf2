"""What counts as grown, on counts alone."""

from datetime import date
from typing import Any

import numpy as np
import polars as pl

from transforms.taxonomy.emerging import COLUMNS, emerging

LAST = date(2026, 11, 3)


def window(mode: str, subject: str = "all", **counts: Any) -> dict[str, Any]:
    said = {
        "recent_count": 20, "recent_total": 100, "before_count": 20, "before_total": 400, "recent_author_count": 9,
        "recent_feedback_count": 25, "elsewhere_recent_count": 0, "elsewhere_recent_total": 0,
        "elsewhere_before_count": 0, "elsewhere_before_total": 0, **counts,
    }  # fmt: skip
    dimension = "all" if subject == "all" else "checkpoint"
    return {
        "mode_id": mode, "dimension": dimension, "subject": subject, "baseline": "own",
        "window_start": date(2026, 10, 28), "window_end": LAST, **said,
    }  # fmt: skip


def grown(*windows: dict[str, Any]) -> list[tuple[str, str]]:
    return emerging(pl.DataFrame(windows, infer_schema_length=None)).select("mode_id", "subject").rows()


def test_four_times_the_share_has_grown_and_the_same_share_has_not() -> None:
    rows = emerging(pl.DataFrame([window("more"), window("same", recent_count=5)]))
    assert rows.select("mode_id", "ratio", "looked_at").rows() == [("more", 4.0, 2)]
    (row,) = rows.rows(named=True)
    assert 1 < row["ratio_low"] < 4 < row["ratio_high"]
    assert row["p_value"] < row["q_value"] <= 0.05


def test_one_author_or_too_few_voices_are_no_trend() -> None:
    assert grown(window("alone", recent_author_count=1)) == []
    assert grown(window("few", recent_count=4, before_count=4, before_total=9000)) == []


def test_without_a_before_or_a_now_there_is_nothing_to_compare() -> None:
    assert grown(window("no before", before_count=0, before_total=0), window("no now", recent_total=0)) == []
    empty = emerging(pl.DataFrame([window("none")]).clear())
    assert (empty.height, dict(empty.schema)) == (0, COLUMNS)


def test_what_nobody_said_before_is_new_without_an_upper_end() -> None:
    (row,) = emerging(pl.DataFrame([window("new", before_count=0)])).rows(named=True)
    assert (row["ratio"], row["ratio_high"]) == (None, None)
    assert row["ratio_low"] > 10


def test_only_here_is_said_where_elsewhere_did_not_grow() -> None:
    quiet = {"elsewhere_recent_total": 300, "elsewhere_before_count": 30, "elsewhere_before_total": 1200}
    rows = emerging(
        pl.DataFrame(
            [
                window("a", "b", recent_count=40, elsewhere_recent_count=7, **quiet),
                window("a", "c", recent_count=40, elsewhere_recent_count=40, **quiet),
            ]
        )
    )
    assert rows.select("subject", "is_only_here").rows() == [("b", True), ("c", False)]


def test_of_a_thousand_steady_modes_hardly_any_has_grown() -> None:
    """All are drawn from one rate: 5% of them would pass without the correction, with it none in most draws."""
    rng = np.random.default_rng(3)
    now, before = rng.binomial(100, 0.1, 1000).tolist(), rng.binomial(400, 0.1, 1000).tolist()
    steady = [
        window(f"m{number}", recent_count=one, before_count=other)
        for number, (one, other) in enumerate(zip(now, before, strict=True))
    ]
    assert len(grown(*steady)) <= 2
    assert ("planted", "all") in grown(*steady, window("planted", recent_count=45))
