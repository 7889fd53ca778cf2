"""What a page is: a path, the question it answers, the marts it needs, and how it makes its answer."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

from dashboards.address import Address
from dashboards.chart import Chart
from dashboards.pulse import Pulse
from dashboards.table import Row, Table
from dashboards.warehouse import Generation
from models.errors import FlywheelError

Role = Literal["viewer", "reader"]
"""A viewer sees numbers; a reader also sees what people wrote, and who."""


class NotThere(FlywheelError):
    """Nothing has the id that the address names."""


class Asked(NamedTuple):
    """One request, as pages see it."""

    address: Address
    generation: Generation
    pulse: Callable[[], Pulse | None]
    """How the log is doing: None where nobody could say yet."""
    role: Role
    as_csv: str | None = None
    """The table that is asked for whole; None: a page is."""

    @property
    def reads_words(self) -> bool:
        """Whether who asks may see what people wrote."""
        return self.role == "reader"

    def rows(self, sql: str, *parameters: Any) -> list[Row]:
        """The rows of a query of the published build, by names of columns."""
        return self.generation.rows(sql, parameters)

    def row(self, sql: str, *parameters: Any) -> Row:
        """The only row."""
        return self.rows(sql, *parameters)[0]

    def has(self, *marts: str) -> bool:
        """Whether the published build has all of these tables."""
        return not self.generation.missing(marts)

    @property
    def now(self) -> datetime:
        """The server's clock."""
        return datetime.now(UTC)


class Shown(NamedTuple):
    """What a page shows. Its template gets all of it, and `facts` by their names."""

    lead: str
    """The answer to the page's question, in words and numbers."""
    title: str = ""
    """Where it is not the page's own: of one experiment, its id."""
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    facts: Mapping[str, Any] = {}


class Page(NamedTuple):
    """The description of a page: `pages/<name>.py` has it as `PAGE`, `pages/<name>.html` is its template."""

    name: str
    path: str
    title: str
    question: str
    """What it answers, with its first line."""
    needs: tuple[str, ...]
    """Marts without which it says nothing; others are asked for with `Asked.has`."""
    show: Callable[[Asked], Shown]
    under: str | None = None
    """Name of the page it belongs to, for one of many; None: it stands in the menu."""
    live_s: float = 10.0
    """Seconds between two looks of a page that stays open."""
