"""The effect in each segment, with its interval: where it is another than over all."""

from dashboards import measure
from dashboards.chart import Chart
from dashboards.charts.look import WIDE
from dashboards.table import Row, Table
from dashboards.words import count


def effect_by_segment(rows: list[Row], metric: str, overall: float | None, kind: Row, table: Table) -> Chart | None:
    """A point and a line a segment and variant. Rows: dimension, segment, variant, difference, low, high."""
    drawn = [row for row in rows if row["difference"] is not None]
    if not drawn:
        return None
    scale, unit = measure.of(kind)
    apart = [row for row in drawn if row["low"] is not None and (row["low"] > 0 or row["high"] < 0)]
    values = [
        {
            "segment": f"{row['dimension']}: {row['segment']}",
            "variant": row["variant"],
            **{name: row[name] if row[name] is None else scale * row[name] for name in ("difference", "low", "high")},
        }
        for row in drawn
    ]
    x = {
        "type": "quantitative",
        "title": f"difference, {unit}" if unit else "difference",
        "scale": {"zero": True},
        "axis": {"tickCount": 8},
    }
    y = {"field": "segment", "type": "nominal", "title": None, "sort": None, "axis": {"labelLimit": 220, "grid": True}}
    offset = {"field": "variant", "type": "nominal"}
    layers = [
        {
            "mark": {"type": "rule", "strokeWidth": 2.5, "opacity": 0.6},
            "encoding": {"x": {"field": "low", **x}, "x2": {"field": "high"}},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1, "tooltip": True},
            "encoding": {"x": {"field": "difference", **x}},
        },
    ]
    marks = [("0", 0.0, [4, 3])] + ([("over all", overall, [1, 2])] if overall is not None else [])
    rules = [
        {
            "data": {"values": [{"at": scale * at}]},
            "mark": {"type": "rule", "strokeWidth": 1.5, "strokeDash": dash},
            "encoding": {
                "x": {"field": "at", **x},
                "y": {"value": 0},
                "y2": {"value": "height"},
                "yOffset": {"value": 0},
                "color": {"value": "$ink"},
            },
        }
        for _, at, dash in marks
    ]
    return Chart(
        "segments",
        f"Effect on {metric} by segment.",
        f"Of {count(len(drawn), 'segment')}, {len(apart)} have an interval that leaves out 0; the dotted "
        "line is the effect over all.",
        {
            **WIDE,
            "height": 26 * len({value["segment"] for value in values}) * len({row["variant"] for row in drawn}),
            "data": {"values": values},
            "encoding": {"y": y, "yOffset": offset, "color": {"field": "variant", "type": "nominal", "title": None}},
            "layer": [*layers, *rules],
        },
        table,
    )
