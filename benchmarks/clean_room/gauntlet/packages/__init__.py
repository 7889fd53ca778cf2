# ruff: noqa: E501 (code within texts)
"""Four small packages of our own, one for each kind of task, made into task folders.

Each is a text: `=== path`, then the file. What is cut is cut as generation does it; hidden cases are calls whose expected
values the gold files give, in a room.
"""

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from evals.cleanroom.bubblewrap import SITE, open_room
from evals.tasks import folder
from evals.tasks.calls import outcomes
from evals.tasks.task import Call, Difficulty, Hidden, HiddenCase, Kind, Task, Unit, task_id
from evals.tasks.values import encode

HERE = Path(__file__).parent

Files = dict[str, str]


class Package(NamedTuple):
    """A package, what is cut of it, and the calls of its hidden cases."""

    name: str
    kind: Kind
    cut: Mapping[str, tuple[str, ...]]
    """Path -> qualified names; none: the whole file."""
    calls: tuple[tuple[str, str, Any, tuple[Any, ...], dict[str, Any]], ...]
    """Module, qualname, arguments of the class (None: a function), arguments, by name."""
    pass_to_pass: tuple[str, ...]
    instructions: str

    def gold(self) -> Files:
        """All files, whole."""
        parts = (HERE / f"{self.name}.txt").read_text().split("=== ")[1:]
        return {part.partition("\n")[0]: part.partition("\n")[2] for part in parts}

    def given(self) -> Files:
        """All files, with the feature cut out."""
        files = self.gold()
        for path, names in self.cut.items():
            if names:
                files[path] = _cut(files[path], names)
            else:
                files.pop(path)
        return files

    def tests(self) -> Files:
        """Test files and their helpers."""
        return {path: text for path, text in self.gold().items() if path.startswith("tests/")}


def _calls(module: str, qualname: str, *args: Any, build: Any = None) -> tuple[Any, ...]:
    return tuple((module, qualname, build, each if isinstance(each, tuple) else (each,), {}) for each in args)


PACKAGES = (
    Package(
        "spans", "function", {"spans/merge.py": ("merge",)},
        (
            *_calls("spans.merge", "merge", [], [(1, 3)], [(8, 9), (1, 4), (4, 5)], [(5, 5), (5, 5)], [(-9, -2), (-4, 0), (7, 7)]),
            *_calls("spans.merge", "merge", ([(0, 1), (3, 4), (8, 9)], 1), ([(0, 1), (3, 4), (8, 9)], 2), ([(0, 1), (3, 4)], 9)),
            *_calls("spans.merge", "merge", ([(4, 2)],), ([(1, 2)], -3), ([[1, 6], [2, 3], [6, 8]],), ([(2, 3), (1, 9), (4, 5)],)),
            *_calls("spans.merge", "covered", [(1, 5), (2, 7), (9, 11)], [(3, 3)]),
        ),
        ("tests/test_merge.py::test_check_alone",),
        "Write `spans.merge.merge(spans, gap=0)`: join intervals that overlap or lie at most `gap` apart, as its docstring says.",
    ),
    Package(
        "stock", "class", {"stock/shelf.py": ("Shelf.put", "Shelf.take", "Shelf.total", "Shelf.most")},
        (
            *_calls("stock.shelf", "Shelf.put", ("kiwi",), ("kiwi", 12), ("", 1), ("kiwi", 0), ("kiwi", -4), build=((), {})),
            *_calls("stock.shelf", "Shelf.put", ("kiwi", 5), ("kiwi", 6), build=((5,), {})),
            *_calls("stock.shelf", "Shelf.take", ("kiwi",), ("kiwi", 3), build=((), {})),
            *_calls("stock.shelf", "Shelf.most", (), (4,), build=((), {})),
            *_calls("stock.shelf", "Shelf.total", (), build=((9,), {})),
        ),
        ("tests/test_shelf.py::test_short_is_a_lookup_error",),
        "Write the methods of `stock.shelf.Shelf` (put, take, total, most), as their docstrings say; counts are kept in `counts`.",
    ),
    Package(
        "sums", "cluster",
        {"sums/tokens.py": ("tokens",), "sums/tree.py": ("parse", "addition", "product", "atom"), "sums/run.py": ("evaluate", "value")},
        (
            *_calls("sums.tokens", "tokens", "", "7", "ab + 12", "a1b2(", "3$", "1.5", "x*(y-2)"),
            *_calls("sums.tree", "parse", "1-2-3-4", "2*3*4", "(5)", "((1+2))*3", "a*b+c*d", "1+", "(", "1 1", ")(", "+"),
            *_calls("sums.run", "evaluate", "1+2*3-4", "(1+2)*(3-4)", "100", "2*2*2*2-1", "7-(3-(2-1))", "n+1", ""),
            *_calls("sums.run", "evaluate", ("n+1", {"n": 41}), ("a*a-b", {"a": 12, "b": 44}), ("a", {"b": 1})),
        ),
        (),
        "Write tokens (`sums/tokens.py`), parse, addition, product, atom (`sums/tree.py`), evaluate and value (`sums/run.py`).",
    ),
    Package(
        "measures", "files", {"measures/text.py": ()},
        (
            *_calls("measures.text", "parse", "7mm", "3dm", "1km 1m 1mm", "10cm2mm", " 4 m ", "m", "9", "3 feet", "", "2m 5"),
            *_calls("measures.text", "show", 1, 10, 1001, 20305, 999999, 1000000, 0, -5),
            *_calls("measures.text", "longest", ["1mm", "1cm"], ["1m", "100cm", "10dm"], [], ["5km"]),
        ),
        ("tests/test_show.py::test_error_is_a_value_error",),
        "Write `measures/text.py` with parse, show and longest, for the units mm, cm, dm, m and km.",
    ),
)  # fmt: skip


def _cut(source: str, names: tuple[str, ...]) -> str:
    tree = ast.parse(source)
    lines = source.splitlines()
    spans: list[tuple[int, int, int]] = []

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
                name = f"{prefix}{child.name}"
                if name in names and isinstance(child, ast.FunctionDef):
                    first = child.body[1] if ast.get_docstring(child) else child.body[0]
                    spans.append((first.lineno, child.end_lineno or first.lineno, first.col_offset))
                visit(child, f"{name}.")

    visit(tree, "")
    for first, last, indent in sorted(spans, reverse=True):
        lines[first - 1 : last] = [" " * indent + "raise NotImplementedError"]
    return "\n".join(lines) + "\n"


def write_files(files: Files, into: Path) -> Path:
    """Write each file below `into`."""
    for path, text in files.items():
        place = into / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return into


def make_task(package: Package, into: Path, site: Path) -> Path:
    """The task's folder, below `into`. Needs a room, where the gold files say what is expected, and pytest in `site`."""
    gold, tests = package.gold(), package.tests()
    calls = [
        Call(
            module=module, qualname=qualname, args=tuple(encode(each) for each in args),
            kwargs={key: encode(each) for key, each in named.items()},
            build=None if build is None else (tuple(encode(each) for each in build[0]), build[1]),
        )
        for module, qualname, build, args, named in package.calls
    ]  # fmt: skip
    whole = write_files(gold, into / f"{package.name}-gold")
    with open_room(whole) as room:
        given = outcomes(room, calls)
    fail_to_pass = tuple(sorted(_passing(whole, site) - set(package.pass_to_pass)))
    cases = [HiddenCase(call=call, expected=gave) for call, gave in zip(calls, given, strict=True) if gave is not None]
    assert len(cases) == len(calls), f"{package.name}: gold does not answer each hidden call"
    tree, kept, cut = (as_bytes(each) for each in (package.given(), tests, {path: gold[path] for path in package.cut}))
    hidden = Hidden(cases=tuple(cases))
    tars = [folder.archive(each) for each in (tree, kept, cut)]
    digests = [folder.sha256(each) for each in tars]
    units = tuple(
        Unit(path=path, qualname=name, module=path.removesuffix(".py").replace("/", "."), lines=10)
        for path, names in package.cut.items()
        for name in (names or ("",))
    )
    task = Task(
        task_id=task_id(package.name, "1.0", units, tuple(digests)),
        package=package.name, version="1.0", kind=package.kind, units=units, instructions=package.instructions,
        fail_to_pass=fail_to_pass, pass_to_pass=package.pass_to_pass,
        test_files={path: folder.sha256(text.encode()) for path, text in tests.items()},
        seconds=20, difficulty=Difficulty(lines=30, files=len(package.cut), call_depth=2, estimate=0.3),
        tree_sha256=digests[0], tests_sha256=digests[1], gold_sha256=digests[2],
        hidden_sha256=folder.sha256(folder.dumped(hidden).encode()),
    )  # fmt: skip
    return folder.write(into, folder.Parts(task, tars[0], tars[1], tars[2], "", hidden))


def _passing(tree: Path, site: Path) -> set[str]:
    """Ids of the tests that pass in `tree`."""
    with open_room(tree, tools=site) as room:
        ran = room.run(
            ["python3", "-P", "-m", "pytest", "-rA", "-q", "--tb=no", "-p", "no:cacheprovider", "tests"],
            env={"PYTHONPATH": f"{SITE}:/work"},
        )
    return {line.partition(" ")[2] for line in ran.stdout.decode().splitlines() if line.startswith("PASSED ")}


def as_bytes(files: Files) -> dict[str, bytes]:
    """`files`, as archives take them."""
    return {path: text.encode() for path, text in files.items()}
