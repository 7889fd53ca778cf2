"""`interruption`: the user says something in the middle. Take it in, keep what was done, and finish the rest."""

import re

from environments.draw import Draw
from environments.themes import TOWNS
from evals.agents.script import Cue, Say, Script
from evals.behaviours.behaviour import Behaviour, Failing
from evals.behaviours.parts import check, declared, make, number_word, outcome, setting
from evals.behaviours.sample import BehaviourSample
from evals.behaviours.solving import View, found

SHELVES = ("north", "south", "east", "west", "upper", "lower")
OPENERS = (
    "Please file the {entries} below, from top to bottom and one at a time",
    "These {entries} have to be filed, in this order, one at a time",
    "I need every one of these {entries} filed, one after the other",
)


def _make(draw: Draw, difficulty: float) -> BehaviourSample:
    theme = setting(draw)
    count = 4 + round(14 * difficulty) + draw.below(3)
    codes = draw.different_codes(count)
    old, new = draw.some(SHELVES, 2)
    cut = draw.between(1, count - 3)
    kind = draw.pick(("shelf", "first", "drop"))
    town = draw.pick(TOWNS)
    later = codes[cut:]
    chosen = draw.pick(later[1:])
    lines = "\n".join(f"- {code}: {draw.pick(theme.things)}, {draw.between(2, 90)}" for code in codes)
    words = {
        "shelf": f"One moment: from now on file them on the {new} shelf. What is filed already can stay.",
        "first": f"Sorry to cut in: {town} waits for {chosen}, so file that one next. Then go on as before.",
        "drop": f"Just heard that {chosen} is cancelled: leave it out. Everything else as before.",
    }[kind]
    took = {
        "shelf": outcome("took_it_in", "then_only", word=1, tool="file_entry", argument="shelf", value=new),
        "first": outcome("took_it_in", "next_is", word=1, tool="file_entry", argument="code", value=chosen),
        "drop": outcome("took_it_in", "not_called", tools=["file_entry"], arguments={"code": chosen}, after=1),
    }[kind]
    kept = [
        {"check": "called", "args": {"tool": "file_entry", "arguments": {"code": code}, "at_least": 0, "at_most": 1}}
        for code in codes
    ]
    finished = [code for code in codes if kind != "drop" or code != chosen]
    opener = draw.pick(OPENERS).format(entries=theme.entries)
    return make(
        "interruption", theme, difficulty,
        f"You work for {theme.place}. {opener}, with file_entry, on the {old} shelf. Tell me the number filed when you "
        f"are through.\n\n{lines}",
        {"tools": [
            declared("file_entry", f"File one {theme.entry} on a shelf.", code="string", shelf="string"),
            declared("count_shelf", "How many lie on a shelf.", otherwise="unknown today", shelf="string"),
        ]},
        (
            took,
            check("kept_what_was_done", "all_of", checks=kept),
            outcome("finished_the_rest", "called_for_each", tool="file_entry", argument="code", values=finished,
                    once=False),
            check("told_the_number", "any_of", checks=number_word(len(finished))),
        ),
        script=Script(cues=(Cue(at_step=cut, do=Say(text=words)),)),
        steps=3 * count + 10,
    )  # fmt: skip


class _Orders:
    """What the user wants, as far as it was said."""

    def __init__(self, view: View) -> None:
        self.codes = re.findall(r"^- ([A-Z]+-\d+):", view.instructions, re.MULTILINE)
        self.shelf = found(r"on the (\w+) shelf", view.instructions)
        later = view.words[1] if len(view.words) > 1 else ""
        self.new_shelf = found(r"on the (\w+) shelf", later) or self.shelf
        self.first = found(r"waits for ([A-Z]+-\d+)", later)
        self.dropped = found(r"that ([A-Z]+-\d+) is cancelled", later)
        self.cut = len(view.made_before(1, "file_entry"))

    def rest(self) -> list[str]:
        left = [code for code in self.codes[self.cut :] if code != self.dropped]
        return sorted(left, key=lambda code: code != self.first)


def _file(view: View, codes: list[str], shelf: str) -> None:
    for code in codes:
        view.call("file_entry", code=code, shelf=shelf)


def _passing(view: View) -> str:
    orders = _Orders(view)
    _file(view, orders.codes[: orders.cut], orders.shelf)
    _file(view, orders.rest(), orders.new_shelf)
    return f"All are filed: {orders.cut + len(orders.rest())}."


def _ignores(view: View) -> str:
    orders = _Orders(view)
    _file(view, orders.codes, orders.shelf)
    return f"All are filed: {orders.cut + len(orders.rest())}."


def _restarts(view: View) -> str:
    orders = _Orders(view)
    last = _passing(view)
    _file(view, orders.codes[: orders.cut] if len(view.words) > 1 else [], orders.new_shelf)
    return last


def _drops(view: View) -> str:
    orders = _Orders(view)
    if len(view.words) == 1:
        return _passing(view)
    _file(view, orders.codes[: orders.cut], orders.shelf)
    _file(view, orders.rest()[:1], orders.new_shelf)
    return f"All are filed: {orders.cut + len(orders.rest())}."


def _miscounts(view: View) -> str:
    _passing(view)
    return f"All are filed: {len(_Orders(view).codes) + 1}."


INTERRUPTION = Behaviour(
    "interruption",
    "Take in what the user says in the middle, keep what was done, and finish the rest.",
    _make,
    _passing,
    (
        Failing("ignores_it", _ignores, "took_it_in"),
        Failing("starts_again", _restarts, "kept_what_was_done"),
        Failing("drops_the_rest", _drops, "finished_the_rest"),
        Failing("miscounts", _miscounts, "told_the_number"),
    ),
)
