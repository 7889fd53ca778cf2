"""Bodies that say nothing, which tests must tell from the real one: a task that one of them passes asks for nothing."""

from collections.abc import Callable

from evals.tasks.generate.pieces import Body

CONSTANTS = ("None", "False", "True", "0", '""', "[]", "{}", "()")


def trivial() -> dict[str, Callable[[Body], str]]:
    """Name -> what stands in the place of each body."""
    found: dict[str, Callable[[Body], str]] = {f"return {each}": _constant(each) for each in CONSTANTS}
    found["return the first argument"] = _first
    found["yield nothing"] = _nothing
    return found


def _constant(value: str) -> Callable[[Body], str]:
    return lambda _: f"return {value}"


def _first(body: Body) -> str:
    arguments = body.node.args
    every = [*arguments.posonlyargs, *arguments.args]
    return f"return {body.first_argument or (every[0].arg if every else 'None')}"


def _nothing(_: Body) -> str:
    return "return\nyield"
