"""How wide the next answer's interval is on a benchmark that was asked so often, and where it stands now."""

from dashboards.chart import Chart
from dashboards.charts.look import WIDE
from dashboards.table import Row, Table
from dashboards.words import count, figure
from stats.wear import Uses, spent, width

AHEAD = 40
"""Uses that the line goes on, at the least."""


def wear(rows: list[Row], table: Table) -> Chart | None:
    """A line a benchmark, were every use a decision that says no; a point where it is. Rows of `dim_benchmarks`."""
    if not rows:
        return None
    most = max(AHEAD, *(int(row["uses"]) for row in rows))
    lines = [
        {"benchmark": name, "uses": uses, "width": width(float(row["effective"]), spent(Uses(decisions=uses)))}
        for row in rows
        for name in [f"{row['benchmark']} v{row['version']}"]
        for uses in sorted({0, 1, 2, 5, *range(10, most + 1, 10), most})
    ]
    now = [
        {"benchmark": f"{row['benchmark']} v{row['version']}", "uses": row["uses"], "width": row["width"]}
        for row in rows
    ]
    x = {"field": "uses", "type": "quantitative", "title": "uses so far", "axis": {"tickCount": 6}}
    y = {"field": "width", "type": "quantitative", "title": "width of the next interval", "scale": {"zero": True}}
    colour = {"field": "benchmark", "type": "nominal", "title": None}
    worn = [row for row in rows if row["is_worn"]]
    return Chart(
        "wear",
        "Wear.",
        f"{count(len(rows), 'version')}, {len(worn)} worn; the widest next interval is "
        f"{figure(max(row['width'] for row in rows))}. Points are now, lines what decisions that say no would make.",
        {
            **WIDE,
            "height": 260,
            "encoding": {"color": colour},
            "layer": [
                {
                    "data": {"values": lines},
                    "mark": {"type": "line", "strokeWidth": 2, "opacity": 0.6},
                    "encoding": {"x": x, "y": y},
                },
                {
                    "data": {"values": now},
                    "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1, "tooltip": True},
                    "encoding": {"x": x, "y": y, "shape": colour},
                },
            ],
        },
        table,
    )
