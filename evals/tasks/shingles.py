"""Whether code shows up again in other text: runs of its lines, compared token by token, whatever their layout.

A shingle is SHINGLE lines of code in a row that hold at least TOKENS tokens together, or a whole body that is shorter
and still holds that many. Comments, docstrings and blank lines are passed over; so are prompts of doctests and colours
of quotes. Left out: copies with other names.
"""

import ast
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from evals.tasks.syntax import parse

SHINGLE = 3
TOKENS = 15
TOKEN = re.compile(
    r"""[A-Za-z_]\w*|\d[\w.]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[-+*/<>=!|&^%@:~]=|\*\*|//|->|\S"""
)
PROMPT = re.compile(r"^\s*(>>>|\.\.\.)\s?")

Line = tuple[str, ...]


class Found(NamedTuple):
    """A shingle of the code in another text."""

    path: str
    line: int
    text: str


def tokens(line: str) -> Line:
    """The tokens of a line; empty where it is no code."""
    bare = PROMPT.sub("", line).strip()
    if bare.startswith("#"):
        return ()
    found = [token.replace("'", '"') if token[0] in "\"'" else token for token in TOKEN.findall(bare)]
    if "#" in found:
        found = found[: found.index("#")]
    return tuple(found)


def shingles(body: str) -> set[tuple[Line, ...]]:
    """Those of a body's text."""
    lines = [told for line in body.split("\n") if (told := tokens(line)) and len("".join(told)) > 1]
    if len(lines) < SHINGLE:
        return {tuple(lines)} if lines and sum(map(len, lines)) >= TOKENS else set()
    runs = (tuple(lines[at : at + SHINGLE]) for at in range(len(lines) - SHINGLE + 1))
    return {run for run in runs if sum(map(len, run)) >= TOKENS}


def find(wanted: set[tuple[Line, ...]], texts: Mapping[str, str], *, prose: bool = False) -> list[Found]:
    """Where `wanted` show up in `texts` (path -> text). Docstrings of Python files count only with `prose`."""
    if not wanted:
        return []
    sizes = {len(run) for run in wanted}
    first = {run[0] for run in wanted}
    found: list[Found] = []
    for path, text in texts.items():
        lines = _lines(text, is_code=path.endswith(".py") and not prose)
        for at, (number, told) in enumerate(lines):
            if told in first and any(tuple(line for _, line in lines[at : at + size]) in wanted for size in sizes):
                found.append(Found(path, number, " ".join(told)))
    return found


@lru_cache(4096)
def _lines(text: str, *, is_code: bool) -> tuple[tuple[int, Line], ...]:
    """Number and tokens of each line that has some."""
    passed = docstring_lines(text) if is_code else set[int]()
    return tuple(
        (number, told)
        for number, line in enumerate(text.split("\n"), 1)
        if number not in passed and (told := tokens(line)) and len("".join(told)) > 1
    )


def docstring_lines(text: str) -> set[int]:
    """Numbers of the lines that docstrings, and other texts that nobody reads, stand on."""
    try:
        tree = parse(text)
    except SyntaxError:
        return set()
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            found.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return found


def all_shingles(bodies: Iterable[str]) -> set[tuple[Line, ...]]:
    """Of several bodies."""
    return set[tuple[Line, ...]]().union(*(shingles(body) for body in bodies))
