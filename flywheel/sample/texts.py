"""Comments that read like people: sentences of `texts.toml`, a thing put in, a detail behind, and habits of typing."""

import tomllib
from functools import cache
from importlib.resources import files
from random import Random
from typing import NamedTuple, cast

CLUSTERS = ("invoices", "sign_in")
"""Themes that no seeded failure mode covers: what discovery should find."""

PRAISE, CHATTER = "praise", "chatter"


class Theme(NamedTuple):
    """What people say about one thing that went wrong (or well)."""

    says: tuple[str, ...]
    details: tuple[str, ...]
    things: tuple[str, ...]


class Bank(NamedTuple):
    """All themes, and how comments of people in either mood may end."""

    themes: dict[str, Theme]
    annoyed: tuple[str, ...]
    pleased: tuple[str, ...]

    def complaints(self) -> list[str]:
        """The themes that are about a seeded failure mode, in order."""
        return [name for name in self.themes if name not in (*CLUSTERS, PRAISE, CHATTER)]


@cache
def bank() -> Bank:
    """The text bank as it lies beside this file."""
    content = tomllib.loads(files("flywheel.sample").joinpath("texts.toml").read_text("utf-8"))
    shared = cast(dict[str, list[str]], content["shared"])
    themes = {
        name: Theme(tuple(theme["says"]), tuple(theme["details"]), tuple(theme.get("things", shared["things"])))
        for name, theme in cast(dict[str, dict[str, list[str]]], content["themes"]).items()
    }
    return Bank(themes, tuple(shared["annoyed"]), tuple(shared["pleased"]))


class Writer:
    """Writes comments, no two the same (chatter excepted: people do type `ok`)."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._written: set[str] = set()

    def comment(self, theme: str) -> str:
        """A new comment of `theme`."""
        while True:
            text = self._compose(bank().themes[theme]) + self._random.choice(_endings(theme))
            if theme == CHATTER or text not in self._written:
                self._written.add(text)
                return text

    def _compose(self, theme: Theme) -> str:
        random = self._random
        text = _put(random.choice(theme.says), random.choice(theme.things))
        if random.random() < 0.6:
            text = f"{text} {random.choice(theme.details)}".strip()
        if random.random() < 0.12:
            text = text.lower()
        return text


def _endings(theme: str) -> tuple[str, ...]:
    if theme == CHATTER:
        return ("",)
    return bank().pleased if theme == PRAISE else bank().annoyed


def _put(sentence: str, thing: str) -> str:
    if sentence.startswith("{thing}"):
        thing = thing[0].upper() + thing[1:]
    return sentence.replace("{thing}", thing)
