"""Run tests a second way: plain calls of test functions, each in a process of its own, without a runner.

Asked on standard input: {nonce, path, files, tests, values, seconds}. Told, a JSON line each: [nonce, test, outcome,
asserts, seen], where `test` is the id without its parameters, and `seen` what both sides of each `==` were: [line,
left, right], encoded. Left out: tests with fixtures and marks that choose (`can't`); those are checked by pytest
alone.
"""

import ast
import importlib.util
import itertools
import json
import os
import select
import signal
import sys
import types
import unittest
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

SEEN = 300
"""Comparisons that are kept of a test."""

values: Any = None
seen: list[Any] = []
count = [0]


def compared(line: int, left: Any, right: Any) -> None:
    """Keep both sides of a comparison."""
    if len(seen) < SEEN and not isinstance(left, Iterator) and not isinstance(right, Iterator):
        with suppress(Exception):  # what can't be told is not compared, whatever its own code raises
            seen.append([line, values.encode(left), values.encode(right)])


def asserted() -> None:
    """Count an assertion that is carried out."""
    count[0] += 1


class Watched(ast.NodeTransformer):
    """`assert a == b` tells its sides before it asserts; each assert is counted."""

    def visit_Assert(self, node: ast.Assert) -> Any:
        """See the class."""
        counted = ast.parse("__flywheel_asserted__()").body
        test = node.test
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq):
            left, right = ast.Name("__flywheel_left__", ast.Load()), ast.Name("__flywheel_right__", ast.Load())
            keep = ast.parse(
                "__flywheel_left__ = 0\n__flywheel_right__ = 0\n"
                f"__flywheel_compared__({node.lineno}, __flywheel_left__, __flywheel_right__)"
            ).body
            keep[0].value, keep[1].value = test.left, test.comparators[0]  # type: ignore[attr-defined]
            node.test = ast.Compare(left, test.ops, [right])
            counted += keep
        return [ast.fix_missing_locations(ast.copy_location(each, node)) for each in [*counted, node]]


def load(path: str) -> types.ModuleType:
    """The test module at `path`, with its asserts watched."""
    place = Path(path)
    package: list[str] = []
    folder = place.parent
    while (folder / "__init__.py").exists():
        package.insert(0, folder.name)
        folder = folder.parent
    sys.path.insert(0, str(folder.resolve()))
    name = ".".join([*package, place.stem])
    tree = ast.fix_missing_locations(Watched().visit(ast.parse(place.read_text())))
    spec = importlib.util.spec_from_file_location(name, place)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    if package:
        module.__package__ = ".".join(package)
    vars(module).update(__flywheel_compared__=compared, __flywheel_asserted__=asserted)
    sys.modules[name] = module
    exec(compile(tree, str(place.resolve()), "exec"), vars(module))
    return module


def combinations(function: Any) -> list[dict[str, Any]] | None:
    """Arguments of each call; None: this way can't make them."""
    sets: list[list[dict[str, Any]]] = []
    for mark in getattr(function, "pytestmark", []):
        if mark.name != "parametrize" or mark.kwargs:
            return None
        names, rows = mark.args[0], mark.args[1]
        names = [each.strip() for each in names.split(",")] if isinstance(names, str) else list(names)
        found: list[dict[str, Any]] = []
        for row in rows:
            if hasattr(row, "marks"):
                if row.marks:
                    return None
                cells = row.values
            else:
                cells = row if len(names) > 1 else (row,)
            found.append(dict(zip(names, cells, strict=True)))
        sets.append(found)
    merged = [{key: value for part in parts for key, value in part.items()} for parts in itertools.product(*sets)]
    code = function.__code__
    wanted = set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]) - {"self"}
    return merged if all(set(each) == wanted for each in merged) else None


def cases(path: str, module: types.ModuleType) -> Iterator[tuple[str, Any]]:
    """(id, callable or None: this way can't) of each test in a module."""
    found: Any
    for name, found in list(vars(module).items()):
        if isinstance(found, types.FunctionType) and name.startswith("test") and found.__module__ == module.__name__:
            special = any(hasattr(module, each) for each in ("setup_module", "setup_function", "pytestmark"))
            yield f"{path}::{name}", None if special else calls(found)
        elif isinstance(found, type) and found.__module__ == module.__name__:
            for inner, call in parts(name, cast("type[Any]", found)):
                yield f"{path}::{name}::{inner}", call


def parts(name: str, owner: type[Any]) -> Iterator[tuple[str, Any]]:
    """(name, callable or None: this way can't) of each test in a class."""
    is_case = issubclass(owner, unittest.TestCase)
    simple = not any(hasattr(owner, each) for each in ("setup_method", "setup_class", "pytestmark", "setup"))
    if not is_case and not name.startswith("Test"):
        return
    for inner in dir(owner):
        if inner.startswith("test") and callable(getattr(owner, inner)):
            yield inner, case(owner, inner) if is_case else (method(owner, inner) if simple else None)


def calls(function: Any) -> Any:
    """All calls of a function, as one."""
    rows = combinations(function)
    return None if rows is None else lambda: [function(**row) for row in rows]


def method(owner: type, name: str) -> Any:
    """All calls of a test method of a plain class, as one."""
    rows = combinations(getattr(owner, name))
    return None if rows is None else lambda: [getattr(owner(), name)(**row) for row in rows]


def case(owner: type, name: str) -> Any:
    """A test of unittest, its equalities watched."""
    if getattr(getattr(owner, name), "__unittest_skip__", False) or getattr(owner, "__unittest_skip__", False):
        return None

    def call() -> None:
        subject: Any = owner(name)
        equal = subject.assertEqual

        def watched(first: Any, second: Any, msg: Any = None) -> None:
            asserted()
            compared(0, first, second)
            equal(first, second, msg)
            assert first == second

        subject.assertEqual = watched
        owner.setUpClass()  # type: ignore[attr-defined]
        subject.setUp()
        try:
            getattr(subject, name)()
        finally:
            subject.tearDown()

    return call


def alone(call: Any, seconds: float) -> list[Any]:
    """[outcome, asserts, seen] of a call in a process of its own, killed after `seconds`."""
    reads, writes = os.pipe()
    child = os.fork()
    if not child:
        outcome = "ended"
        try:
            os.close(reads)
            signal.setitimer(signal.ITIMER_REAL, seconds)
            try:
                call()
                outcome = "passed"
            except BaseException as error:  # whatever it is, the test did not pass
                outcome = f"failed: {type(error).__name__}: {error}"[:300]
            with os.fdopen(writes, "wb") as out:
                out.write(json.dumps([outcome, count[0], seen]).encode())
        finally:
            os._exit(0)
    os.close(writes)
    told = b""
    while select.select([reads], [], [], seconds + 1)[0] and (part := os.read(reads, 1 << 16)):
        told += part
    os.close(reads)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    try:
        return json.loads(told)
    except ValueError:
        return ["ended without a word", 0, []]


def main() -> None:
    """Read what is asked, run it, and tell."""
    global values  # noqa: PLW0603
    asked = json.loads(sys.stdin.readline())
    out = os.fdopen(os.dup(1), "wb", 0)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    sys.path[:0] = asked["path"]
    values = types.ModuleType("flywheel_values")
    exec(compile(asked["values"], "values", "exec"), values.__dict__)

    def tell(*said: Any) -> None:
        out.write(json.dumps([asked["nonce"], *said]).encode() + b"\n")

    wanted = set(asked["tests"])
    for path in asked["files"]:
        try:
            found: list[tuple[str, Any]] = list(cases(path, load(path)))
        except BaseException as error:  # a module that can't be loaded this way: pytest says why
            tell(path, f"unloaded: {type(error).__name__}: {error}"[:300], 0, [])
            continue
        for name, call in (each for each in found if each[0] in wanted):
            tell(name, *(alone(call, asked["seconds"]) if call else ["can't", 0, []]))
    os._exit(0)


if __name__ == "__main__":
    main()
