"""What samples are written with: themes, checks, declared tools."""

from typing import Any

from environments.draw import Draw
from environments.themes import THEMES, Theme, words
from evals.agents.script import Script
from evals.behaviours.rubric import Check
from evals.behaviours.sample import BehaviourSample


def setting(draw: Draw) -> Theme:
    """The workplace of a sample: its cluster."""
    return draw.pick(THEMES)


def make(  # noqa: PLR0917
    behaviour: str,
    theme: Theme,
    difficulty: float,
    instructions: str,
    world: dict[str, Any],
    rubric: tuple[Check, ...],
    *,
    script: Script | None = None,
    steps: int = 60,
) -> BehaviourSample:
    """A sample in the cluster of its behaviour and workplace."""
    return BehaviourSample(
        behaviour=behaviour,
        cluster=f"{behaviour}/{theme.name}",
        difficulty=difficulty,
        instructions=instructions,
        world=world,
        script=script or Script(),
        rubric=rubric,
        steps=steps,
    )


def check(name: str, kind: str, /, **args: Any) -> Check:
    """A check of the way there."""
    return Check(name=name, check=kind, args=args)


def outcome(name: str, kind: str, /, **args: Any) -> Check:
    """A check of what came out."""
    return Check(name=name, check=kind, args=args, outcome=True)


def plain(kind: str, /, **args: Any) -> dict[str, Any]:
    """A check inside another."""
    return {"check": kind, "args": args}


def declared(
    name: str, description: str, /, *, otherwise: str = "done", place: str = "open",
    answers: list[tuple[dict[str, Any], str]] | None = None, is_error: bool = False, **parameters: str,
) -> dict[str, Any]:  # fmt: skip
    """A tool of `environments.tool_server`: what it answers to which arguments, and to all others."""
    return {
        "name": name,
        "description": description,
        "parameters": parameters,
        "answers": [{"when": when, "text": text} for when, text in answers or []],
        "otherwise": {"text": otherwise, "is_error": is_error},
        "place": place,
    }


NUMBERS = words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)


def number_word(n: int) -> list[dict[str, Any]]:
    """Checks of which one holds where the last words tell a number, in digits or (up to twenty) as a word."""
    said = [str(n), *([NUMBERS[n]] if n < len(NUMBERS) else [])]
    return [plain("said", texts=[each]) for each in said]
