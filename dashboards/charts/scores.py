"""What checkpoints score on evals, each with its 95% interval."""

from dashboards.chart import Chart
from dashboards.charts.look import WIDE
from dashboards.table import Row, Table
from dashboards.words import count, figure


def scores(rows: list[Row], table: Table) -> Chart | None:
    """Points by eval, a colour a checkpoint. Rows: eval, checkpoint, value, low, high; None without any."""
    drawn = [row for row in rows if row["value"] is not None]
    if not drawn:
        return None
    evals, checkpoints = ({row[name] for row in drawn} for name in ("eval", "checkpoint"))
    names = sorted(checkpoints)
    best = max(drawn, key=lambda row: row["value"])
    values = [{name: row[name] for name in ("eval", "checkpoint", "value", "low", "high")} for row in drawn]
    by = {
        "field": "checkpoint",
        "type": "nominal",
        "title": None,
        "legend": {"columns": 2, "labelLimit": 300},
        "scale": {"domain": names},
    }
    scale = {"domain": [0, 1]}
    return Chart(
        "scores",
        "Scores on evals.",
        f"{count(len(checkpoints), 'checkpoint')} on {count(len(evals), 'eval')}; the highest is "
        f"{figure(best['value'])}, of {best['checkpoint']} on {best['eval']}. Lines are 95% intervals.",
        {
            **WIDE,
            "height": 16 * len(evals) * len(checkpoints) + 16,
            "data": {"values": values},
            "encoding": {
                "y": {
                    "field": "eval",
                    "type": "nominal",
                    "title": None,
                    "axis": {"labelLimit": 240, "grid": True},
                    "sort": None,
                },
                "yOffset": {"field": "checkpoint", "scale": {"domain": names}},
                "color": by,
            },
            "layer": [
                {
                    "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.5},
                    "encoding": {
                        "x": {
                            "field": "low",
                            "type": "quantitative",
                            "scale": scale,
                            "title": "score",
                            "axis": {"tickCount": 6},
                        },
                        "x2": {"field": "high"},
                    },
                },
                {
                    "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1, "tooltip": True},
                    "encoding": {
                        "x": {"field": "value", "type": "quantitative", "scale": scale},
                        "shape": by,
                    },
                },
            ],
        },
        table,
    )
