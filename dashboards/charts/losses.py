"""Losses of training runs by step."""

from dashboards.chart import Chart
from dashboards.charts.look import WIDE
from dashboards.table import Column, Row, Table
from dashboards.words import count, figure

COLUMNS = (
    Column("run", "run"),
    Column("metric", "metric"),
    Column("step", "step", "whole"),
    Column("value", "value", "figure"),
)


def losses(rows: list[Row]) -> Chart | None:
    """A line a run and metric. Rows: run, step, metric, value, in their order; None without any."""
    drawn = [row for row in rows if row["value"] is not None]
    if not drawn:
        return None
    last = {(row["run"], row["metric"]): row for row in drawn}
    said = "; ".join(
        f"{metric} {figure(row['value'])} at step {row['step']:,}" for (_, metric), row in list(last.items())[:4]
    )
    runs = len({run for run, _ in last})
    return Chart(
        "losses",
        "Losses by step.",
        f"{count(runs, 'run')}; at the end {said}.",
        {
            **WIDE,
            "height": 200,
            "data": {"values": [{name: row[name] for name in ("run", "step", "metric", "value")} for row in drawn]},
            "mark": {"type": "line", "strokeWidth": 2, "point": len(drawn) < 200, "tooltip": True},
            "encoding": {
                "x": {"field": "step", "type": "quantitative", "title": "step", "axis": {"tickMinStep": 1,
                "grid": False}},
                "y": {"field": "value", "type": "quantitative", "title": "loss", "scale": {"zero": False},
                "axis": {"tickCount": 5}},
                "color": {"field": "metric", "type": "nominal", "title": None},
                "strokeDash": {
                    "field": "run", "type": "nominal", "title": None,
                    "legend": {"labelLimit": 300, "orient": "bottom", "columns": 2} if runs > 1 else None,
                },
            },
        },
        Table("steps", "Losses by step", COLUMNS, rows, mart="fct_training_steps"),
    )  # fmt: skip
