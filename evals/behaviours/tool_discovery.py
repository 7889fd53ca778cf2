"""`tool_discovery`: the tool that is needed lies in a catalogue of many, or comes later, beside what looks like it."""

import re

from environments.draw import Draw
from environments.themes import Theme
from evals.agents.script import Bring, Cue, Script
from evals.behaviours.behaviour import Behaviour, Failing
from evals.behaviours.parts import check, declared, make, outcome, setting
from evals.behaviours.sample import BehaviourSample
from evals.behaviours.solving import View, found

MEASURES = ("weight", "owner", "colour", "shelf", "price", "age", "supplier", "length")
OBJECTS = ("van", "key", "room", "badge", "meter", "invoice", "parcel", "shift", "guest", "machine", "door", "letter")
VERBS = ("list", "print", "lock", "move", "count", "archive", "name", "open", "scan", "sort", "weigh", "rent")
LETTERS = ("amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heron", "inlet", "jade", "kelp", "lotus")


def _make(draw: Draw, difficulty: float) -> BehaviourSample:
    theme = setting(draw)
    noun = theme.entry.replace(" ", "_")
    measure = draw.pick(MEASURES)
    codes = draw.different_codes(1 + round(3 * difficulty))
    values = [f"{draw.pick(LETTERS)}-{draw.between(100, 999)}" for _ in codes]
    guesses = [f"{draw.pick(LETTERS)}-{draw.between(1000, 9999)}" for _ in codes]
    late = draw.chance(0.25)
    right = f"{measure}_of_{noun}"
    description = f"The {measure} of one {theme.entry}, as it stands in the books."
    place = "dormant" if late else "catalogue"
    tools = [
        declared(right, description, place=place, code="string", otherwise="no such code", is_error=True,
                 answers=[({"code": code}, value) for code, value in zip(codes, values, strict=True)]),
        declared(f"{measure}_of_{noun}_guessed", f"A guess at the {measure} of one {theme.entry}; not for answers.",
                 place="catalogue", code="string", otherwise="none",
                 answers=[({"code": code}, value) for code, value in zip(codes, guesses, strict=True)]),
        declared(f"set_{measure}_of_{noun}", f"Overwrite the {measure} of one {theme.entry} in the books.",
                 place="catalogue", code="string", value="string"),
        *_others(draw, theme, measure, 15 + round(150 * difficulty)),
    ]  # fmt: skip
    bring = Bring(tool=right, description=description, command=(right,))
    asked = draw.pick((
        f"What is the {measure} of the {theme.entry} with code",
        f"I have to know the {measure} of this {theme.entry}:",
        f"Look up the {measure} of {theme.entry}",
    ))  # fmt: skip
    rest = f", and of {', '.join(codes[1:])}" if len(codes) > 1 else ""
    return make(
        "tool_discovery", theme, difficulty,
        f"You answer questions at {theme.place}. {asked} {codes[0]}{rest}? Tell me exactly what our books say. Tools "
        "are in the catalogue, and now and then one is added while you work; change nothing in the books.",
        {"tools": draw.shuffled(tools)},
        (
            check("looked_for_a_tool", "called", tool="search_tools", errors=True),
            check("used_the_right_tool", "called_for_each", tool=right, argument="code", values=codes, once=False),
            check("used_nothing_that_looks_like_it", "not_called",
                  tools=[f"{measure}_of_{noun}_guessed", f"set_{measure}_of_{noun}"]),
            outcome("told_what_it_says", "said", texts=values),
        ),
        script=Script(cues=(Cue(on_tool="search_tools", do=bring),) if late else ()),
    )  # fmt: skip


def _others(draw: Draw, theme: Theme, measure: str, count: int) -> list[dict[str, object]]:
    """Tools that are of no use here."""
    found_: dict[str, dict[str, object]] = {}
    entry = theme.entry.replace(" ", "_")
    while len(found_) < count:
        noun, verb = draw.pick(OBJECTS), draw.pick((*VERBS, *MEASURES))
        if noun in (entry, measure):
            continue
        name = f"{verb}_of_{noun}_{draw.pick(LETTERS)}" if verb in MEASURES else f"{verb}_{noun}_{draw.pick(LETTERS)}"
        about = f"The {verb} of one {noun}." if verb in MEASURES else f"{verb.capitalize()} one {noun}."
        found_[name] = declared(name, about, place="catalogue", code="string", otherwise="none")
    return list(found_.values())


class _Question:
    """What is asked."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.codes = re.findall(r"\b[A-Z]{2}-\d{4}\b", view.instructions)
        self.measure = next(each for each in MEASURES if f"the {each} of" in view.instructions)
        self.entry = found(
            rf"the {self.measure} of (?:the |this )?([a-z -]+?)(?: with code|:| [A-Z])", view.instructions
        )

    def hits(self) -> list[str]:
        """What search finds, a line each."""
        return self.view.call("search_tools", query=f"{self.measure} of one {self.entry}").text.splitlines()

    def right(self, hits: list[str]) -> tuple[str, bool]:
        """The tool whose answer is that of the books, and whether it is in the catalogue."""
        listed = [line.partition("(")[0] for line in hits if "as it stands in the books" in line]
        offered = [name for name, tool in self.view.tools.items() if "as it stands in the books" in tool.description]
        return (listed[0], True) if listed else (offered[0], False)

    def ask(self, tool: str, *, in_catalogue: bool) -> list[str]:
        """The answer for each code."""
        call = self.view.use if in_catalogue else self.view.call
        return [call(tool, code=code).text for code in self.codes]

    def tell(self, values: list[str]) -> str:
        """The last words."""
        return "; ".join(f"{code}: {value}" for code, value in zip(self.codes, values, strict=True))


def _passing(view: View) -> str:
    question = _Question(view)
    tool, in_catalogue = question.right(question.hits())
    return question.tell(question.ask(tool, in_catalogue=in_catalogue))


def _gives_up(view: View) -> str:
    return f"I have no tool for the {_Question(view).measure}: there is nothing that I can do."


def _makes_it_up(view: View) -> str:
    question = _Question(view)
    question.hits()
    return question.tell(["amber-100"[: 5 + len(question.codes)]] * len(question.codes))


def _takes_what_looks_like_it(view: View) -> str:
    question = _Question(view)
    tool = next(line.partition("(")[0] for line in question.hits() if "_guessed(" in line)
    return question.tell(question.ask(tool, in_catalogue=True))


TOOL_DISCOVERY = Behaviour(
    "tool_discovery",
    "Look for the tool that is needed, take it and not what looks like it, and tell what it says.",
    _make,
    _passing,
    (
        Failing("gives_up", _gives_up, "looked_for_a_tool", ("used_the_right_tool", "told_what_it_says")),
        Failing("makes_it_up", _makes_it_up, "used_the_right_tool", ("told_what_it_says",)),
        Failing("takes_what_looks_like_it", _takes_what_looks_like_it, "used_nothing_that_looks_like_it",
                ("used_the_right_tool", "told_what_it_says")),
    ),
)  # fmt: skip
