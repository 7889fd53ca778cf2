"""Variants of a body that are wrong in one spot: another comparison, operator, constant, value, or a statement less.

A spot is left alone where a change means nothing: docstrings, messages of exceptions, annotations. Left out: telling
apart variants that are no worse than the body (some survive for that reason).
"""

import ast
import copy
import random
from collections.abc import Iterator
from typing import NamedTuple

from evals.tasks.generate.cut import bodies_of, cut, statements
from evals.tasks.generate.pieces import Body, Piece
from evals.tasks.syntax import parse

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.Pow: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip


class Mutant(NamedTuple):
    """A wrong variant."""

    said: str
    """What was changed, and where."""
    files: dict[str, str]


def mutants(texts: dict[str, str], pieces: tuple[Piece, ...], most: int, chance: random.Random) -> list[Mutant]:
    """Up to `most` of the cut bodies, drawn evenly over them by chance."""
    spots = [
        (path, body, number, said)
        for path, bodies in bodies_of(pieces).items()
        for body in bodies
        for number, said in enumerate(_said(body))
    ]
    chance.shuffle(spots)
    found: list[Mutant] = []
    for path, body, number, said in spots:
        if len(found) == most:
            break
        text = cut(texts[path], [body], lambda each, number=number: changed(each, number))
        try:
            parse(text)
        except SyntaxError:
            continue
        if text != texts[path]:
            found.append(Mutant(f"{body.qualname}: {said}", {path: text}))
    return found


def _said(body: Body) -> list[str]:
    """Each change that can be made, in order."""
    return [said for said, _ in _changes(_copied(body))]


def changed(body: Body, number: int) -> str:
    """The text of `body` with the change of that number."""
    nodes = _copied(body)
    for at, (_, change) in enumerate(_changes(nodes)):
        if at == number:
            change()
            break
    module = ast.Module(nodes.body, [])
    return ast.unparse(ast.fix_missing_locations(module))


def _copied(body: Body) -> ast.Module:
    return ast.Module(copy.deepcopy(statements(body)), [])


class _Change(NamedTuple):
    node: ast.AST
    field: str
    place: int | None
    new: object

    def __call__(self) -> None:
        if self.place is None:
            setattr(self.node, self.field, self.new)
        else:
            getattr(self.node, self.field)[self.place] = self.new


def _changes(module: ast.Module) -> Iterator[tuple[str, _Change]]:
    for node in _walked(module):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Compare):
            for at, operator in enumerate(node.ops):
                yield f"comparison in line {line}", _Change(node, "ops", at, COMPARED[type(operator)]())
        elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in COMPUTED:
            if not (isinstance(node, ast.BinOp) and _is_text(node.left)):
                yield f"operator in line {line}", _Change(node, "op", None, COMPUTED[type(node.op)]())
        elif isinstance(node, ast.BoolOp):
            yield (
                f"and/or in line {line}",
                _Change(node, "op", None, ast.Or() if isinstance(node.op, ast.And) else ast.And()),
            )
        elif isinstance(node, ast.Constant) and type(node.value) in (int, bool):
            new = not node.value if isinstance(node.value, bool) else node.value + 1  # type: ignore[operator]
            yield f"constant in line {line}", _Change(node, "value", None, new)
        elif isinstance(node, ast.Return) and node.value and not _is_none(node.value):
            yield f"value returned in line {line}", _Change(node, "value", None, ast.Constant(None))
        elif isinstance(node, ast.If | ast.While):
            yield f"condition in line {line}", _Change(node, "test", None, ast.UnaryOp(ast.Not(), node.test))
        for field in ("body", "orelse"):
            inner = getattr(node, field, None)
            for at, statement in enumerate(inner if isinstance(inner, list) else []):  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
                if isinstance(statement, ast.Expr | ast.Assign | ast.AugAssign | ast.Delete) and not _is_text_alone(
                    statement
                ):
                    yield f"statement in line {statement.lineno} left out", _Change(node, field, at, ast.Pass())


def _walked(node: ast.AST) -> Iterator[ast.AST]:
    """Like ast.walk, without what is said in exceptions and annotations."""
    yield node
    for field, value in ast.iter_fields(node):
        if isinstance(node, ast.Raise) or field in ("annotation", "returns"):
            continue
        for inner in value if isinstance(value, list) else [value]:  # pyright: ignore[reportUnknownVariableType]
            if isinstance(inner, ast.AST):
                yield from _walked(inner)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_text_alone(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
