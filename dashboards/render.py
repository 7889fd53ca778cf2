"""Templates: everything that goes into one is escaped, by its file's name; what is no text is written by `words`."""

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from dashboards import measure, words
from dashboards.address import to
from text.normal_form import preview

HERE = Path(__file__).parent
SHOWN = 280
"""Characters of a text in a table."""
LONG = 20_000
"""Characters of a text that is shown as the thing a page is about; a link leads to all of it."""


def environment() -> Environment:
    """The templates of pages and of what they share."""
    made = Environment(
        loader=FileSystemLoader([HERE / "pages", HERE / "templates"]),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        whole=words.whole,
        figure=words.figure,
        percent=words.percent,
        duration=words.duration,
        moment=words.moment,
        minute=words.minute,
        day=words.day,
        tone=words.tone,
        shortened=shortened,
        estimate=measure.estimate,
        effect=measure.effect,
    )
    globals_: dict[str, Any] = {
        "to": to,
        "LONG": LONG,
        "count": words.count,
        "ago": words.ago,
        "effect_interval": measure.interval,
    }
    made.globals.update(globals_)
    return made


def shortened(text: str | None, characters: int = SHOWN) -> str:
    """The beginning of a text. Only that is looked at, however long the text is."""
    if not text or len(text) <= characters:
        return text or ""
    return preview(text[: characters * 8], characters)
