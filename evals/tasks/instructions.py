"""What a task's text says: where something is missing, what it promised, which tests say so. Never how it was done.

Two proofs go with it: `missing`, of names and texts that hidden cases or tests need and nobody could know, and
`revealed`, of lines of the gold body. Left out: what only the tests show; they lie in the tree.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from evals.tasks.folder import contents, read
from evals.tasks.shingles import all_shingles, find
from evals.tasks.syntax import parse
from evals.tasks.task import HiddenCase, Unit
from evals.tasks.values import Json, canonical

TESTS = 40
"""Names of tests that are listed."""
WORD = re.compile(r"\w+")


class Promise(NamedTuple):
    """What is known of a piece: all that its text may be written from."""

    unit: Unit
    signature: str
    doc: str
    raises: tuple[str, ...] = ()
    """Exceptions that calls of it raise."""
    texts: tuple[str, ...] = ()
    """Texts that show up in what it gives."""


def instructions(package: str, version: str, promises: Sequence[Promise], tests: Sequence[str]) -> str:
    """The text of a task, Markdown."""
    several = len({promise.unit.path for promise in promises}) > 1
    where = "these files" if several else f"`{promises[0].unit.path}`"
    lines = [
        f"# Write what is missing in {package} {version}",
        "",
        f"In {where}, bodies have been taken out; what is left of each is its signature, its docstring, and a",
        "`raise NotImplementedError`. Write them anew, so that the tests below pass and no other test fails.",
        "",
        "Your work is also checked by calls that no test makes: other values of the same types, among them empty,",
        "single, negative and long ones. Values, their types, and what becomes of arguments are compared, and so are",
        "the classes of exceptions. Neither tests nor their settings are part of your work: changes to them are put",
        "back.",
        "",
    ]
    for path in dict.fromkeys(promise.unit.path for promise in promises):
        lines += [f"## `{path}`", ""]
        for promise in promises:
            if promise.unit.path == path:
                lines += _promised(promise)
    lines += ["## Tests that fail now", ""]
    lines += [f"- `{test}`" for test in tests[:TESTS]]
    if len(tests) > TESTS:
        lines.append(f"- and {len(tests) - TESTS} more that call the same code")
    return "\n".join(lines) + "\n"


def _promised(promise: Promise) -> list[str]:
    lines = [f"### `{promise.unit.qualname}`", "", "```python", promise.signature, "```", ""]
    if promise.doc:
        lines += ["~~~text", *promise.doc.split("\n"), "~~~", ""]
    else:
        lines += ["It has no docstring: its callers and its tests say what it is for.", ""]
    if promise.raises:
        lines += [f"Some calls end in {_listed(f'`{name}`' for name in promise.raises)}.", ""]
    if promise.texts:
        lines += [f"What it gives may hold {_listed(f'`{text!r}`' for text in promise.texts)}.", ""]
    return lines


def _listed(each: Iterable[str]) -> str:
    *most, last = list(each)
    return f"{', '.join(most)} or {last}" if most else last


def literals(bodies: Iterable[str]) -> set[str]:
    """Texts of two characters or more that code holds, without docstrings."""
    found = set[str]()
    for body in bodies:
        for node in ast.walk(_parsed(body)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) > 1:
                found.add(node.value)
    return found


def _parsed(body: str) -> ast.Module:
    lines = body.split("\n")
    depth = min(
        (len(line) - len(line.lstrip()) for line in lines if line.strip() and not line.lstrip().startswith("#")),
        default=0,
    )
    inner = [f"    {line[depth:]}" for line in lines if line.strip()]
    return parse("async def body():\n" + "\n".join([*inner, "    pass"]))


def shown(literal: str, case: HiddenCase) -> bool:
    """Whether a case's outcome holds `literal` and its call does not: who solves the task has to know it."""
    told = canonical(literal)[1:-1]
    return told in canonical(case.expected.model_dump()) and told not in canonical(case.call.model_dump())


def missing(folder: Path) -> list[str]:
    """Names, arguments, exceptions and texts that hidden cases and failing tests need, and that are neither in the
    instructions nor in the tree. Empty: the task can be solved by who reads them. Raises what `read` raises."""
    parts = read(folder)
    texts = _texts(parts.tree)
    known = "\n".join([parts.task.instructions, *texts.values()])
    words = set(WORD.findall(known))
    needed = set[str]()
    for case in parts.hidden.cases:
        call = case.call
        needed |= {*call.module.split("."), *call.qualname.split("."), *call.kwargs}
        if case.expected.raised:
            needed.add(case.expected.raised.rpartition(":")[2].rpartition(".")[2])
        needed |= attributes([case.expected.value, case.expected.after])
    absent = [name for name in sorted(needed) if name not in words and not _free(name, parts.hidden.cases)]
    gold = gold_bodies(_texts(parts.gold), parts.task.units)
    absent += [
        repr(literal)
        for literal in sorted(literals(gold))
        if literal not in known and any(shown(literal, case) for case in parts.hidden.cases)
    ]
    tests = _texts(parts.tests)
    for test in parts.task.fail_to_pass:
        path = test.split("::")[0]
        if texts.get(path) == tests.get(path):
            continue  # it lies in the tree as it is, with every name it needs
        absent += [name for name in sorted(_names(tests.get(path, ""))) if name not in words]
    return list(dict.fromkeys(absent))


def attributes(told: Json) -> set[str]:
    """Names of the attributes of all objects in a value."""
    return {name for each in dicts(told) if isinstance(each.get("object"), str) for name, _ in each.get("has", ())}


def dicts(told: Json) -> Iterator[dict[str, Any]]:
    """Every JSON object in a value."""
    if isinstance(told, list):
        for each in cast("list[Any]", told):
            yield from dicts(each)
    elif isinstance(told, dict):
        inner = cast("dict[str, Any]", told)
        yield inner
        for each in inner.values():
            yield from dicts(each)


def _free(name: str, cases: Sequence[HiddenCase]) -> bool:
    """A keyword that a test made up, for a function that takes any: it is in the calls, and asks for nothing."""
    return any(name in case.call.kwargs for case in cases) and not any(
        name in case.call.qualname.split(".") or name in case.call.module.split(".") for case in cases
    )


def _names(text: str) -> set[str]:
    try:
        tree = parse(text)
    except SyntaxError:
        return set()
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)} | {
        node.arg for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg
    }


def revealed(folder: Path) -> list[str]:
    """Lines of the gold bodies that the instructions show, or code of the tree. Raises what `read` raises."""
    parts = read(folder)
    wanted = all_shingles(gold_bodies(_texts(parts.gold), parts.task.units))
    told = find(wanted, {"instructions": parts.task.instructions}, prose=True)
    return [f"{each.path}:{each.line}: {each.text}" for each in [*told, *find(wanted, _texts(parts.tree))]]


def gold_bodies(gold: Mapping[str, str], units: Sequence[Unit]) -> list[str]:
    """The text of each body that was cut, without its docstring."""
    found: list[str] = []
    for unit in units:
        text = gold[unit.path]
        lines = text.split("\n")
        for node, qualname in _functions(parse(text).body, ""):
            if qualname == unit.qualname or qualname.startswith(f"{unit.qualname}.") or not unit.qualname:
                body = node.body[1:] if ast.get_docstring(node) is not None else node.body
                if body and body[0].lineno > node.lineno:
                    found.append("\n".join(lines[body[0].lineno - 1 : node.end_lineno]))
    return found


def _functions(nodes: list[ast.stmt], prefix: str) -> Iterable[tuple[ast.FunctionDef | ast.AsyncFunctionDef, str]]:
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node, prefix + node.name
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, ast.If | ast.Try):
            yield from _functions([*node.body, *node.orelse], prefix)


def _texts(tar: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    for path, content in contents(tar).items():
        try:
            found[path] = content.decode()
        except UnicodeDecodeError:
            continue
    return found
