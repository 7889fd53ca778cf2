"""A chart of a page: a Vega-Lite spec, the sentence that says the same, and the table of its numbers."""

from typing import Any, NamedTuple

from dashboards.table import Table

Spec = dict[str, Any]


class Chart(NamedTuple):
    """What `charts/` gives a page. Colours in the spec are names of the palette with `$` before."""

    name: str
    title: str
    said: str
    """What is to be seen, in a sentence with numbers."""
    spec: Spec
    table: Table
