"""A trend as a line in a table: SVG text, in the colour of the words around it."""

from datetime import date, timedelta

from markupsafe import Markup

from dashboards.table import Row

SPANS = 30


def spark(days: list[Row], first: date | None, last: date | None) -> Markup:
    """A line of 120 x 24 pixels over up to 30 equal spans of the window; "" where there is none.

    Rows: day, feedback_count. Made of numbers alone, so that nothing in it needs escaping.
    """
    if not days or first is None or last is None or first == last:
        return Markup("")
    spans = min(SPANS, (last - first).days + 1)
    width = ((last - first) + timedelta(days=1)) / spans
    counts = [0] * spans
    for row in days:
        if first <= row["day"] <= last:
            counts[int((row["day"] - first) / width)] += row["feedback_count"]
    most = max(counts) or 1
    points = " ".join(
        f"{2 + place * 116 / max(1, spans - 1):.1f},{22 - 20 * count / most:.1f}" for place, count in enumerate(counts)
    )
    return Markup(
        '<svg width="120" height="24" viewBox="0 0 120 24" aria-hidden="true" focusable="false">'
        f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="1.5"/></svg>'
    )
