"""Bodies that say nothing, which tests must tell from the real one: a task that one of them passes asks for nothing.

What such a body gives is known without running it, and so is whether a hidden case tells it apart, where the case calls
the body itself and no decorator stands between. Left out: all other cases; those have to be run.
"""

import ast
from collections.abc import Callable, Iterable
from typing import NamedTuple

from evals.tasks.generate.pieces import Body
from evals.tasks.task import Call, HiddenCase
from evals.tasks.values import Json, encode, same

CONSTANTS = ("None", "False", "True", "0", '""', "[]", "{}", "()")
PLAIN = {"property", "staticmethod", "classmethod"}
"""Decorators that hand on what a body gives."""


class Trivial(NamedTuple):
    """A body that says nothing."""

    said: str
    instead: Callable[[Body], str]
    gives: Callable[[Body, Call], tuple[Json] | None]
    """What a call of it gives, in a tuple; None: that can't be known without running it."""


def trivial() -> list[Trivial]:
    """All of them."""
    return [
        *map(_constant, CONSTANTS),
        Trivial("return the first argument", _first, _given),
        _always("yield nothing", "return\nyield", encode(iter(()))),
    ]


def is_seen_through(each: Trivial, bodies: Iterable[tuple[str, Body]], cases: Iterable[HiddenCase]) -> bool:
    """Whether one of `cases` calls one of `bodies` ((module, body), all replaced) and expects something else."""
    plain = {(module, body.qualname): body for module, body in bodies if _is_plain(body)}
    for case in cases:
        body = plain.get((case.call.module, case.call.qualname))
        given = each.gives(body, case.call) if body else None
        if given is not None and (case.expected.raised or not same(case.expected.value, given[0])):
            return True
    return False


def _constant(value: str) -> Trivial:
    return _always(f"return {value}", f"return {value}", encode(ast.literal_eval(value)))


def _always(said: str, text: str, told: Json) -> Trivial:
    def instead(_: Body) -> str:
        return text

    def gives(_: Body, __: Call) -> tuple[Json]:
        return (told,)

    return Trivial(said, instead, gives)


def _first(body: Body) -> str:
    arguments = body.node.args
    every = [*arguments.posonlyargs, *arguments.args]
    return f"return {body.first_argument or (every[0].arg if every else 'None')}"


def _given(body: Body, call: Call) -> tuple[Json] | None:
    """The first argument of `call`, `self` left out."""
    if body.first_argument in call.kwargs:
        return (call.kwargs[body.first_argument],)
    return (call.args[0],) if body.first_argument and call.args else None


def _is_plain(body: Body) -> bool:
    decorators = body.node.decorator_list
    named = {each.id for each in decorators if isinstance(each, ast.Name)}
    return isinstance(body.node, ast.FunctionDef) and len(named) == len(decorators) and named <= PLAIN
