"""What tools leave lying around a tree."""

import io
import json
import marshal
import sqlite3
import sys
import zipfile
from collections.abc import Callable
from typing import Final

from evals.cleanroom.leaks.leak import ANY, PACKAGE, Leak, World

TAG: Final = sys.implementation.cache_tag or "cpython"


def read(*patterns: str) -> str:
    """A probe that prints the files at `patterns`, below the tree."""
    return (
        f"import pathlib; [print(p.read_bytes()) for g in {patterns!r} for p in pathlib.Path().glob(g) if p.is_file()]"
    )


UNMARSHALLED: Final = """
import marshal, pathlib, types
def constants(code):
    for constant in code.co_consts:
        print(constant)
        if isinstance(constant, types.CodeType): constants(constant)
for path in pathlib.Path().glob('**/*.pyc'):
    constants(marshal.loads(path.read_bytes()[16:]))
"""
DATABASE: Final = """
import sqlite3
print(sqlite3.connect('file:.coverage?mode=ro', uri=True).execute('select * from context').fetchall())
"""
IN_WHEELS: Final = (
    "import pathlib, zipfile\n"
    "for path in pathlib.Path().glob('**/*.whl'):\n"
    "    opened = zipfile.ZipFile(path); print([opened.read(name) for name in opened.namelist()])\n"
)


def at(path: str) -> Callable[[World], None]:
    """A plant: the answer, as text, in a file of the tree."""

    def plant(world: World) -> None:
        world.write(world.repository / path, world.answer)

    return plant


def compiled(world: World) -> None:
    """The module as it was, compiled."""
    code = compile(world.answer, f"{PACKAGE}/core.py", "exec")
    header = b"\0" * 16
    world.write(world.repository / f"{PACKAGE}/__pycache__/core.{TAG}.pyc", header + marshal.dumps(code))


def mypy(world: World) -> None:
    """Of a module's analysis."""
    told = {"module": f"{PACKAGE}.core", "values": [world.secret]}
    world.write(world.repository / f".mypy_cache/3.11/{PACKAGE}/core.data.json", json.dumps(told))


def pytest(world: World) -> None:
    """A parameter in the id of a test that failed."""
    told = {f"tests/test_core.py::test_answer[{world.secret}]": True}
    world.write(world.repository / ".pytest_cache/v/cache/lastfailed", json.dumps(told))


def coverage(world: World) -> None:
    """A parameter in the context of a line."""
    with sqlite3.connect(world.repository / ".coverage") as database:
        database.execute("create table context (context text)")
        database.execute("insert into context values (?)", (f"test_answer[{world.secret}]",))
    database.close()


def wheel(world: World) -> bytes:
    """A wheel of the package as it was."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as opened:
        opened.writestr(f"{PACKAGE}/core.py", world.answer)
    return made.getvalue()


def built_wheel(world: World) -> None:
    """A wheel, built in the tree."""
    world.write(world.repository / f"wheelhouse/{PACKAGE}-1.0-py3-none-any.whl", wheel(world))


def record(world: World) -> None:
    """A list of installed files, among them one that the tree no longer has."""
    world.write(world.repository / f"{PACKAGE}-1.0.dist-info/RECORD", f"{PACKAGE}/{world.secret}.py,sha256=x,10\n")


LEAKS: Final = tuple(
    Leak(name, "leftovers", plant, probe, ANY)
    for name, plant, probe in (
        (".pyc", compiled, UNMARSHALLED),
        ("cache of mypy", mypy, read(".mypy_cache/**/*")),
        ("cache of ruff", at(".ruff_cache/0.14.0/123"), read(".ruff_cache/**/*")),
        ("cache of pytest", pytest, read(".pytest_cache/**/*")),
        ("examples of hypothesis", at(".hypothesis/examples/ab/cd"), read(".hypothesis/**/*")),
        (".coverage", coverage, DATABASE),
        ("report of coverage", at("htmlcov/core_py.html"), read("htmlcov/*")),
        ("build/", at(f"build/lib/{PACKAGE}/core.py"), read("build/**/*")),
        ("egg-info", at(f"{PACKAGE}.egg-info/PKG-INFO"), read("*.egg-info/*")),
        ("RECORD", record, read("*.dist-info/RECORD")),
        ("wheels", built_wheel, IN_WHEELS),
        ("virtual environment in the tree", at(f".venv/site-packages/{PACKAGE}/core.py"), read(".venv/**/*.py")),
        ("environments of tox", at(f".tox/py/lib/{PACKAGE}/core.py"), read(".tox/**/*.py")),
        (".orig", at(f"{PACKAGE}/core.py.orig"), read("**/*.orig")),
        (".rej", at(f"{PACKAGE}/core.py.rej"), read("**/*.rej")),
        (".patch", at("fix.patch"), read("*.patch")),
        ("editors' copies", at(f"{PACKAGE}/core.py~"), read("**/*~")),
        ("core dumps", at("core.4711"), read("core.*")),
        ("vendored copy of the package", at(f"tools/_vendor/{PACKAGE}/core.py"), read("tools/_vendor/**/*.py")),
        ("editable .pth in the tree", at("__editable__.acme.pth"), read("*.pth")),
    )
)  # fmt: skip
