"""Functions and classes of a file, as pieces that can be cut out: where their bodies are, and what stays.

Left out: what is made inside of functions, and bodies on the line of their `def` (too small to ask for).
"""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from evals.tasks.syntax import parse

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


class Piece(NamedTuple):
    """A function, a method, or a class."""

    path: str
    module: str
    qualname: str
    is_class: bool
    first: int
    """Line (from 1) at which it begins, decorators and all."""
    last: int
    lines: int
    """Of code in the body, without blank lines, comments and docstrings."""
    signature: str
    """`def name(...)` or `class name(...)`, on one line."""
    doc: str
    bodies: "tuple[Body, ...]"
    """What is cut: one of a function, one of each method of a class."""

    @property
    def name(self) -> str:
        """The last part of its name."""
        return self.qualname.rpartition(".")[2]


class Body(NamedTuple):
    """The statements of a function, docstring left out."""

    qualname: str
    first: int
    """Line at which the cut begins: comments before the first statement go as well."""
    last: int
    indent: int
    first_argument: str | None
    """Without `self`; None where it has none."""
    node: FunctionNode


def pieces(path: str, module: str, text: str) -> list[Piece]:
    """Every function and class of a file. Raises SyntaxError where it is none of this Python."""
    return list(_walk(parse(text).body, path, module, text.split("\n"), ""))


def _walk(nodes: list[ast.stmt], path: str, module: str, lines: list[str], prefix: str) -> Iterator[Piece]:
    for node in nodes:
        if isinstance(node, FunctionNode):
            body = _body(node, lines, prefix)
            if body:
                yield _piece(node, path, module, lines, prefix, (body,))
        elif isinstance(node, ast.ClassDef):
            bodies = tuple(_bodies(node, lines, f"{prefix}{node.name}."))
            if bodies:
                yield _piece(node, path, module, lines, prefix, bodies)
            yield from _walk(node.body, path, module, lines, f"{prefix}{node.name}.")
        elif isinstance(node, ast.If | ast.Try):
            yield from _walk([*node.body, *node.orelse], path, module, lines, prefix)


def _bodies(node: ast.ClassDef, lines: list[str], prefix: str) -> Iterator[Body]:
    for inner in node.body:
        if isinstance(inner, FunctionNode) and (body := _body(inner, lines, prefix)):
            yield body
        elif isinstance(inner, ast.ClassDef):
            yield from _bodies(inner, lines, f"{prefix}{inner.name}.")


def _piece(  # noqa: PLR0917
    node: FunctionNode | ast.ClassDef, path: str, module: str, lines: list[str], prefix: str, bodies: tuple[Body, ...]
) -> Piece:
    first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    code = sum(len(code_lines(lines[body.first - 1 : body.last])) for body in bodies)
    if isinstance(node, ast.ClassDef):
        bases = ", ".join(ast.unparse(each) for each in node.bases)
        signature = f"class {node.name}({bases})" if bases else f"class {node.name}"
    else:
        gives = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
        signature = f"{word} {node.name}({ast.unparse(node.args)}){gives}"
    doc = ast.get_docstring(node) or ""
    is_class = isinstance(node, ast.ClassDef)
    return Piece(
        path, module, prefix + node.name, is_class, first, node.end_lineno or first, code, signature, doc, bodies
    )


def _body(node: FunctionNode, lines: list[str], prefix: str) -> Body | None:
    """None where there is nothing to cut: a docstring alone, `...`, `pass`, or a body on the `def`'s own line."""
    statements = node.body[1:] if ast.get_docstring(node) is not None else node.body
    real = [each for each in statements if not isinstance(each, ast.Pass) and not _is_ellipsis(each)]
    if not real or any(_names(each) & {"overload", "abstractmethod"} for each in node.decorator_list):
        return None
    begins = min([statements[0].lineno, *(each.lineno for each in getattr(statements[0], "decorator_list", []))])
    before = node.body[0].end_lineno if statements is not node.body else None
    header = before or max([node.lineno, *_ends(node)])
    if begins <= header:
        return None
    while begins - 1 > header and (not (above := lines[begins - 2].strip()) or above.startswith("#")):
        begins -= 1
    last = node.end_lineno or begins
    while last < len(lines) and lines[last].strip().startswith("#") and _indent(lines[last]) > node.col_offset:
        last += 1
    arguments = [*node.args.posonlyargs, *node.args.args]
    names = [each.arg for each in arguments if each.arg not in ("self", "cls")]
    return Body(prefix + node.name, begins, last, statements[0].col_offset, names[0] if names else None, node)


def _ends(node: FunctionNode) -> Iterator[int]:
    """Lines on which parts of the header end."""
    for part in (*ast.walk(node.args), *([node.returns] if node.returns else [])):
        yield getattr(part, "end_lineno", 0)


def _is_ellipsis(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.value.value is ...


def _names(node: ast.AST) -> set[str]:
    return {
        each.id if isinstance(each, ast.Name) else each.attr
        for each in ast.walk(node)
        if isinstance(each, ast.Name | ast.Attribute)
    }


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def code_lines(lines: list[str]) -> list[str]:
    """Those that are code: neither blank nor a comment alone, nor a closing bracket alone."""
    return [
        line for line in lines if (bare := line.strip()) and not bare.startswith("#") and bare not in (")", "]", "}")
    ]
