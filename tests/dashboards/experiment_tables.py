"""Chosen rows in the marts of experiments, in a copy of a home's published build."""

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb

BEGAN = datetime(2026, 11, 2, tzinfo=UTC)
DAYS = 14
ID = "hinted-policy"
EMPTY, ONE_ARM, LOST = "not-begun", "one-arm", "case-51"

EXPOSED = {
    ID: {"A": 8_400, "B": 8_400},
    ONE_ARM: {"A": 40},
    LOST: {"A": 10_900, "B": 46_700, "C": 42_400},
}
"""Units by variant. Case 51: arms of 10.9, 46.7 and 42.4 percent where 10, 45 and 45 were planned."""


def add_experiments(warehouse: Path) -> None:
    """Put the rows into the tables of a build that nobody reads."""
    with duckdb.connect(warehouse) as connection:
        connection.execute("set timezone = 'UTC'")
        for name, rows in (
            ("dim_experiments", _experiments()), ("dim_metrics", _metrics()), ("fct_ab_outcomes", _outcomes()),
            ("fct_ab_segments", _segments()), ("fct_eval_ab_agreement", _agreement()),
        ):  # fmt: skip
            connection.execute(f"delete from {name}")
            for row in rows:
                places = ", ".join("?" * len(row))
                connection.execute(f"insert into {name} ({', '.join(row)}) values ({places})", list(row.values()))
        for name, arms in EXPOSED.items():
            for variant, units in arms.items():
                connection.execute(
                    "insert into int_exposed_units (experiment_id, variant, unit_key) "
                    "select ?, ?, 'u' || range from range(?)",
                    [name, variant, units],
                )


def _variants(*arms: tuple[str, float]) -> str:
    return json.dumps([{"name": name, "weight": weight, "checkpoint_id": None} for name, weight in arms])


def _experiments() -> list[dict[str, Any]]:
    def one(experiment_id: str, **facts: Any) -> dict[str, Any]:
        return {
            "experiment_id": experiment_id, "unit": "person", "state": "running", "started_at": BEGAN, "control": "A",
            "variants": _variants(("A", 1), ("B", 1)), "decision_metric": "thumb_rate", "planned_units": 24_000,
            "planned_days": 28, "days": DAYS, "units": 0, "crossovers": 0, "flagged": 0, **facts,
        }  # fmt: skip

    return [
        one(
            ID, hypothesis="Hints in training make answers that follow instructions", units=16_800, crossovers=12,
            flagged=3, srm_p=0.41, srm_sequential_p=1.0, srm_ok=True, verdict="better",
            said="B is better: +1.2 points [0.4, 2.0]; SRM fine; 1 guardrail holds",
        ),
        one(EMPTY, days=0, started_at=BEGAN + timedelta(days=20), reason="no exposure has come yet"),
        one(ONE_ARM, variants=_variants(("A", 1)), units=40, reason="there is one arm, and nothing to compare it with"),
        one(
            LOST, units=100_000, srm_p=1e-64, srm_sequential_p=1e-60, srm_ok=False, verdict="invalid",
            decision_metric="accept_rate",
            variants=_variants(("A", 10), ("B", 45), ("C", 45)), reason="sample ratio mismatch",
            started_at=BEGAN - timedelta(days=30),
        ),
    ]  # fmt: skip


def _metrics() -> list[dict[str, Any]]:
    return [
        {"metric": "thumb_rate", "kind": "proportion", "direction": "higher", "is_guardrail": False,
        "unit_label": "share"},
        {"metric": "latency_p95", "kind": "quantile", "direction": "lower", "is_guardrail": True, "margin": 0.05,
        "unit_label": "ms"},
        {"metric": "accept_rate", "kind": "proportion", "direction": "higher", "is_guardrail": False,
        "unit_label": "share"},
    ]  # fmt: skip


def _outcomes() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for place in range(1, DAYS + 1):
        half = 0.03 / place**0.5
        effect = 0.012 + 0.006 * (-1) ** place / place
        rows += [
            {
                "experiment_id": ID, "metric": metric, "variant": "B", "day": date(2026, 11, 2) + timedelta(days=place),
                "is_latest": place == DAYS, "role": role, "units": 600 * place, "control_units": 600 * place,
                "control_estimate": base, "estimate": base + effect * scale, "difference": effect * scale,
                "low": effect * scale - half * abs(scale), "high": effect * scale + half * abs(scale),
                "relative": effect * scale / base,
                "relative_low": (effect * scale - half * abs(scale)) / base,
                "relative_high": (effect * scale + half * abs(scale)) / base,
                "p": 0.004, "adjusted_p": 0.008,
                **({"decision_low": (effect - half / 1.3) * scale, "decision_high": (effect + half / 1.3) * scale}
                   if place % 7 == 0 and role == "decision" else {}),
                "information": place / 28, "srm_p": 0.41, "verdict": verdict,
            }
            for metric, role, base, scale, verdict in (
                ("thumb_rate", "decision", 0.61, 1.0, "better"), ("latency_p95", "guardrail", 2_400.0, -900.0, "holds"),
            )
        ]  # fmt: skip
    # Case 51: arms of 10.9, 46.7 and 42.4 percent where 10, 45 and 45 were planned.
    rows += [
        {
            "experiment_id": LOST, "metric": "accept_rate", "variant": variant, "day": date(2026, 11, 16),
            "is_latest": True,
            "role": "decision", "units": units, "control_units": 10_900, "srm_p": 1e-64, "verdict": "invalid",
            "reason": "sample ratio mismatch",
        }
        for variant, units in (("B", 46_700), ("C", 42_400))
    ]  # fmt: skip
    return rows


def _segments() -> list[dict[str, Any]]:
    return [
        {
            "experiment_id": ID, "metric": "thumb_rate", "variant": "B", "dimension": dimension, "segment": segment,
            "units": units, "control_units": units - 7, "estimate": 0.61 + effect, "control_estimate": 0.61,
            "difference": effect, "low": effect - half, "high": effect + half, "adjusted_p": 0.2,
        }
        for dimension, segment, units, effect, half in (
            ("language", "en", 6_200, 0.014, 0.010), ("language", "de", 1_400, 0.004, 0.022),
            ("language", "ar", 800, 0.021, 0.031), ("audience", "external", 7_900, 0.012, 0.009),
            ("audience", "internal", 500, -0.006, 0.040), ("source", "app", 4_200, 0.011, 0.013),
        )
    ]  # fmt: skip


def _agreement() -> list[dict[str, Any]]:
    return [
        {"eval": "eval:all:judge", "metric": "thumb_rate", "pairs": 9, "agreeing": 7, "agreement": 7 / 9, "low": 0.45,
        "high": 0.94},
        {"eval": "eval:tool_use:judge", "metric": "thumb_rate", "pairs": 5, "agreeing": 2, "agreement": 0.4,
        "low": 0.12, "high": 0.77},
    ]  # fmt: skip
