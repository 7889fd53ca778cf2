"""A shelf of skill files: hundreds that a seed makes, and those that were planted among them.

`{"seed": "x", "count": 300, "planted": [{"name": ..., "about": ..., "text": ...}]}`. Tools list them a page at a time,
find them by words, and read one. Left out: skills that run something.
"""

from typing import Any

from pydantic import BaseModel, ConfigDict

from environments.draw import Draw
from environments.part import Arguments, Tool, text, tool, whole, wrong
from environments.themes import THEMES, TOWNS
from environments.world import Answer

PAGE = 50
MOST_FOUND = 8
VERBS = (
    "pack",
    "weigh",
    "price",
    "label",
    "store",
    "clean",
    "count",
    "return",
    "photograph",
    "insure",
    "book",
    "repair",
)
MANNERS = (
    "Put the heaviest first.", "Two persons sign.", "Keep a copy for a year.", "Not on Sundays.", "Use the blue form.",
    "Tell the desk before noon.", "Weigh it twice.", "Ask for a receipt.", "Only with gloves.", "Note the weather.",
    "Close the lid.", "Write the date in full.",
)  # fmt: skip


class Skill(BaseModel):
    """How something is done here."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    about: str
    text: str


class Shelf(BaseModel):
    """What the part is made from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: str
    count: int
    planted: tuple[Skill, ...] = ()


class Skills:
    """Skill files that can be listed, found and read."""

    def __init__(self, given: dict[str, Any]) -> None:
        shelf = Shelf.model_validate(given)
        skills = {skill.name: skill for skill in shelf.planted}
        draw = Draw("skills", shelf.seed)
        while len(skills) < shelf.count:
            skill = _drawn(draw)
            skills.setdefault(skill.name, skill)
        self._skills = dict(sorted(skills.items()))
        self._read: list[str] = []

    def tools(self) -> list[Tool]:
        """See `Part.tools`."""
        return [
            tool("list_skills", f"Names of skills, {PAGE} a page.", self._list, "page", page="integer"),
            tool("find_skills", "Find skills by words of their name and what they are about.", self._find,
                 query="string"),
            tool("read_skill", "Read a skill.", self._open, name="string"),
        ]  # fmt: skip

    def dormant(self) -> list[Tool]:
        """See `Part.dormant`."""
        return []

    def state(self) -> Any:
        """Which were read, in order."""
        return list(self._read)

    def _list(self, arguments: Arguments) -> Answer:
        page = whole(arguments, "page", 1)
        names = list(self._skills)[PAGE * (page - 1) : PAGE * page]
        pages = -(-len(self._skills) // PAGE)
        if page < 1 or not names:
            return wrong(f"there are pages 1 to {pages}")
        return Answer("\n".join(names) + f"\n(page {page} of {pages})")

    def _find(self, arguments: Arguments) -> Answer:
        wanted = set(_words(text(arguments, "query")))
        hits = [(-len(wanted & set(_words(f"{each.name} {each.about}"))), each) for each in self._skills.values()]
        found = sorted((hit for hit in hits if hit[0] < 0), key=lambda hit: hit[0])[:MOST_FOUND]
        if not found:
            return wrong("no skill has any of these words")
        return Answer("\n".join(f"{each.name}: {each.about}" for _, each in found))

    def _open(self, arguments: Arguments) -> Answer:
        name = text(arguments, "name")
        if name not in self._skills:
            return wrong(f"there is no skill {name!r}: find_skills finds them")
        self._read.append(name)
        return Answer(self._skills[name].text)


def _words(text: str) -> list[str]:
    return text.lower().replace("-", " ").replace(",", " ").split()


def _drawn(draw: Draw) -> Skill:
    verb, thing, town = draw.pick(VERBS), draw.pick(draw.pick(THEMES).things), draw.pick(TOWNS)
    name = f"{verb}-{thing}-{town}".lower().replace(" ", "-")
    rules = draw.some(MANNERS, draw.between(2, 5))
    return Skill(name=name, about=f"How we {verb} a {thing} in {town}", text="\n".join((f"# {verb} a {thing}", *rules)))
