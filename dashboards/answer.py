"""From a request to bytes: a page in HTML, one of its tables as CSV, one of its charts as SVG. No HTTP here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment

from dashboards.access import Visitor
from dashboards.address import Address, BadAddress
from dashboards.assets import Assets
from dashboards.csv_file import as_csv
from dashboards.page import Asked, Page, Shown
from dashboards.palette import Theme
from dashboards.picture import svg
from dashboards.pictures import Pictures
from dashboards.pulse import Pulse
from dashboards.warehouse import Warehouse
from models.errors import FlywheelError

FORMATS = ("html", "csv", "svg")


class Missing(FlywheelError):
    """The published build has not the marts that a page needs."""


@dataclass(frozen=True)
class Answer:
    """What is sent."""

    content: bytes
    media_type: str
    file_name: str | None = None
    """Of what is to be kept, not shown."""


@dataclass(frozen=True)
class Look:
    """What a browser said of how pages are to look, and where it stands."""

    theme: Theme | None
    """None: as its system has it."""
    path: str
    """Path and query of the request."""


class Answers:
    """Pages of one home. Every method may be called from several threads."""

    def __init__(
        self,
        pages: tuple[Page, ...],
        warehouse: Warehouse,
        templates: Environment,
        *,
        assets: Assets,
        pictures: Pictures,
        pulse: Callable[[], Pulse | None],
    ) -> None:
        self._pages = {page.name: page for page in pages}
        self._warehouse = warehouse
        self._templates = templates
        self._assets = assets
        self._pictures = pictures
        self._pulse = pulse
        for name in templates.list_templates(["html"]):
            templates.get_template(name)  # compiled now, and not while the first reader waits

    def answer(self, page: Page, parameters: dict[str, str], visitor: Visitor, look: Look) -> Answer:
        """The answer to who asks for `page`.

        Raises BadAddress, NotThere, Missing, TooSlow, and what the warehouse raises.
        """
        asked_for = Address(page.path, parameters)
        form = asked_for.choice("format", FORMATS, "html")
        own = {name: value for name, value in parameters.items() if name not in ("format", "table", "chart")}
        address = Address(page.path, own)
        table = asked_for.text("table")
        with self._warehouse.generation() as generation:
            if missing := generation.missing(page.needs):
                raise Missing(
                    f"build {generation.build['number']} has no {', '.join(missing)}: flywheel build makes it"
                )
            asked = Asked(address, generation, self._pulse, visitor.role, table if form == "csv" else None)
            shown = page.show(asked)
            if form == "csv":
                return _csv(page, shown, table)
            if form == "svg":
                return _svg(shown, asked_for.text("chart"), look.theme or "light")
            return self._html(page, asked, shown, visitor, look)

    def state(self, title: str, lead: str, ways: list[tuple[str, str]], visitor: Visitor | None, look: Look) -> Answer:
        """A page that says why there is none, and what to do: (words, address or "") each."""
        return self.other("state.html", visitor, look, title=title, lead=lead, ways=ways, live_s=5 if visitor else None)

    def other(self, template: str, visitor: Visitor | None, look: Look, **facts: Any) -> Answer:
        """A page that shows nothing of the warehouse."""
        around = self._around(None, visitor, look) | facts
        return Answer(self._templates.get_template(template).render(around).encode(), "text/html")

    def _html(self, page: Page, asked: Asked, shown: Shown, visitor: Visitor, look: Look) -> Answer:
        facts = {
            **self._around(page, visitor, look),
            "title": shown.title or page.title,
            "lead": shown.lead,
            "tables": {table.name: table for table in shown.tables},
            "charts": {chart.name: chart for chart in shown.charts},
            "pictures": {chart.name: self._pictures.find(chart.spec) for chart in shown.charts},
            "address": asked.address,
            "now": asked.now,
            "reads": asked.reads_words,
            "build": asked.generation.build,
            "live_s": page.live_s,
            **shown.facts,
        }
        html = self._templates.get_template(f"{page.name}.html").render(facts)
        return Answer(html.encode(), "text/html")

    def _around(self, page: Page | None, visitor: Visitor | None, look: Look) -> dict[str, Any]:
        """What the layout needs."""
        parent = self._pages[page.under] if page and page.under else None
        return {
            "menu": [each for each in self._pages.values() if each.under is None] if visitor else [],
            "here": page.name if page else "",
            "within": parent.name if parent else "",
            "parent": parent,
            "static": self._assets.address,
            "theme": look.theme or "",
            "back": look.path,
            "signed_in": visitor.name if visitor and visitor.has_session else "",
            "role": visitor.role if visitor else "",
            "charts": {},
            "pictures": {},
            "build": None,
            "live_s": None,
        }


def _csv(page: Page, shown: Shown, name: str) -> Answer:
    tables = {table.name: table for table in (*shown.tables, *(chart.table for chart in shown.charts))}
    if name not in tables:
        raise BadAddress(f"table is {name[:40]!r}: this page has {', '.join(tables) or 'none'}")
    return Answer(as_csv(tables[name]), "text/csv", f"{page.name}-{name}.csv")


def _svg(shown: Shown, name: str, theme: Theme) -> Answer:
    charts = {chart.name: chart for chart in shown.charts}
    if name not in charts:
        raise BadAddress(f"chart is {name[:40]!r}: this page has {', '.join(charts) or 'none'}")
    return Answer(svg(charts[name].spec, theme).encode(), "image/svg+xml")
