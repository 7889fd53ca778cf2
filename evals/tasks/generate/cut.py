"""Cut bodies out of a file's text: signature, decorators and docstring stay, and all else in the file."""

import ast
from collections.abc import Callable, Iterable

from evals.tasks.generate.pieces import Body, FunctionNode, Piece

GONE = "raise NotImplementedError"


def gone(_: Body) -> str:
    """The statement that stands where a body was."""
    return GONE


def cut(text: str, bodies: Iterable[Body], instead: Callable[[Body], str] = gone) -> str:
    """`text` with each of `bodies` replaced by what `instead` says (lines, not indented)."""
    lines = text.split("\n")
    for body in sorted(bodies, key=lambda each: each.first, reverse=True):
        new = [" " * body.indent + line if line else line for line in instead(body).split("\n")]
        lines[body.first - 1 : body.last] = new
    return "\n".join(lines)


def bodies_of(pieces: Iterable[Piece]) -> dict[str, list[Body]]:
    """Path -> what is cut there, each body once."""
    found: dict[str, dict[int, Body]] = {}  # by line: a property's getter and setter have one name
    for piece in pieces:
        for body in piece.bodies:
            found.setdefault(piece.path, {})[body.first] = body
    return {path: list(each.values()) for path, each in found.items()}


def cut_files(texts: dict[str, str], pieces: Iterable[Piece], instead: Callable[[Body], str] = gone) -> dict[str, str]:
    """Path -> text without the bodies of `pieces`, of the files that hold them."""
    return {path: cut(texts[path], bodies, instead) for path, bodies in bodies_of(pieces).items()}


def statements(body: Body) -> list[ast.stmt]:
    """Of a body, without its docstring."""
    return _after_docstring(body.node)


def _after_docstring(node: FunctionNode) -> list[ast.stmt]:
    return node.body[1:] if ast.get_docstring(node) is not None else node.body
