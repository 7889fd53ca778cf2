"""The colours of pages and charts, for a light and a dark page: what people with any colour vision can tell apart.

Categories are Okabe and Ito's ("Color Universal Design", 2008), made darker or lighter where their contrast with the
page is under 3 to 1; what is written in a colour has 4.5 to 1 (WCAG 2.2, criteria 1.4.3 and 1.4.11).
"""

from typing import Any, Literal, NamedTuple, cast

Theme = Literal["light", "dark"]


class Colour(NamedTuple):
    """One meaning in both themes, as `#rrggbb`."""

    light: str
    dark: str


GROUNDS = {
    "page": Colour("#ffffff", "#10161d"),
    "soft": Colour("#f3f6f9", "#18212b"),
}
"""What is written on."""

TEXTS = {
    "ink": Colour("#17202a", "#e6ebf0"),
    "muted": Colour("#52606d", "#a3b1bf"),
    "accent": Colour("#00598a", "#7cc4f0"),
    "good": Colour("#00654a", "#4fd1a1"),
    "warn": Colour("#7a4f00", "#f0b84a"),
    "bad": Colour("#a63d00", "#ff9a62"),
}
"""What is written."""

MARKS = {
    "c1": Colour("#0072b2", "#56b4e9"),
    "c2": Colour("#d55e00", "#ff8b4a"),
    "c3": Colour("#009e73", "#2fc08f"),
    "c4": Colour("#b75c8f", "#e39ac4"),
    "c5": Colour("#a87000", "#f0c24a"),
    "c6": Colour("#6b7785", "#a3afbd"),
    "control": Colour("#7b8794", "#8794a3"),
}
"""What is drawn; `c1` to `c6` are categories in their order."""

LINES = {"line": Colour("#dbe2e9", "#2c3945")}
"""What only separates."""

COLOURS = {**GROUNDS, **TEXTS, **MARKS, **LINES}
DATA = frozenset({"data", "datasets", "domain", "sort", "values"})
"""Parts of a chart's spec that hold what people named: never a colour. As in `static/charts.js`."""

CATEGORIES = tuple(name for name in MARKS if name != "control")


def contrast(one: str, other: str) -> float:
    """How far two colours stand apart, 1 to 21. Source: WCAG 2.2, "contrast ratio" and "relative luminance"."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def css() -> str:
    """The colours as custom properties: by the reader's system, unless the page says which theme it is in."""
    light, dark = ("".join(f"--{name}:{colour[place]};" for name, colour in COLOURS.items()) for place in (0, 1))
    return (
        f":root{{{light}color-scheme:light}}"
        f":root[data-theme=dark]{{{dark}color-scheme:dark}}"
        f"@media(prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}color-scheme:dark}}}}{_of_pictures()}"
    )


def coloured(spec: dict[str, Any], theme: Theme) -> dict[str, Any]:
    """The spec with colours in place of the names of the palette, which stand in it as `$name`."""
    return cast(dict[str, Any], _coloured(spec, theme))


def _of_pictures() -> str:
    """Pictures are made in the light theme's colours; a page shows each in those of its own."""
    return "".join(
        f'.canvas [{part}="{colour.light}"]{{{part}:var(--{name})}}'
        for name, colour in COLOURS.items()
        for part in ("fill", "stroke")
    )


def _coloured(node: Any, theme: Theme) -> Any:
    if isinstance(node, str):
        colour = COLOURS.get(node[1:]) if node.startswith("$") else None
        return getattr(colour, theme) if colour else node
    if isinstance(node, list):
        return [_coloured(each, theme) for each in cast(list[Any], node)]
    if isinstance(node, dict):
        parts = cast(dict[str, Any], node)
        return {name: part if name in DATA else _coloured(part, theme) for name, part in parts.items()}
    return node


def _luminance(colour: str) -> float:
    channels = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4 for channel in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
