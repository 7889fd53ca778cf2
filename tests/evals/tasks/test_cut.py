"""Bodies are cut out and nothing else; mutants differ from the body in one spot."""

import ast
import random
import textwrap
from importlib.util import find_spec
from pathlib import Path

import pytest

from evals.tasks.generate.cut import cut_files
from evals.tasks.generate.mutants import mutants
from evals.tasks.generate.pieces import Piece, pieces
from evals.tasks.generate.trivial import is_seen_through, trivial
from evals.tasks.task import Call, HiddenCase, Outcome
from evals.tasks.values import encode

STANDARD = ("argparse", "textwrap", "dataclasses", "heapq", "inspect", "difflib", "statistics", "fractions", "tarfile")

TEXT = textwrap.dedent('''
    import functools

    @functools.cache
    def top(a: int, *, b="(:") -> dict[
        str, int
    ]:
        """What it does.

        >>> top(1)
        """
        # how it is done
        inner = a + 1
        def nested():
            return inner
        return nested()
        # a last word

    LEFT = 1

    class Kind:
        """A class."""

        size = 3

        @property
        def half(self):

            # halve it
            return self.size / 2

        async def wait(self, other): return other

        def empty(self):
            """Nothing."""
            ...
''')


def signatures(text: str) -> list[str]:
    """Every header, decorator and docstring, and all that is no function."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            doc = ast.get_docstring(node, clean=False)
            node.body = [ast.Expr(ast.Constant(doc or ""))]
    return [ast.dump(node) for node in tree.body]


def named(text: str) -> dict[str, Piece]:
    return {piece.qualname: piece for piece in pieces("m.py", "m", text)}


def test_pieces_are_functions_methods_and_classes_with_a_body_of_their_own():
    found = named(TEXT)
    assert list(found) == ["top", "Kind", "Kind.half"]
    assert found["top"].signature == "def top(a: int, *, b='(:') -> dict[str, int]"
    assert found["top"].lines == 4 and found["top"].doc.startswith("What it does.")
    assert found["top"].bodies[0].first_argument == "a" and found["Kind.half"].bodies[0].first_argument is None
    assert [body.qualname for body in found["Kind"].bodies] == ["Kind.half"]


def test_a_cut_leaves_signature_decorators_and_docstring_but_no_comment_of_the_body():
    after = cut_files({"m.py": TEXT}, named(TEXT).values())["m.py"]
    assert signatures(after) == signatures(TEXT)
    assert after.count("raise NotImplementedError") == 2
    assert not any(word in after for word in ("how it is done", "a last word", "halve it", "nested"))
    assert "LEFT = 1" in after and "async def wait(self, other): return other" in after


@pytest.mark.parametrize("name", STANDARD)
def test_all_bodies_of_real_files_can_be_cut(name: str):
    spec = find_spec(name)
    assert spec and spec.origin
    text = Path(spec.origin).read_text(encoding="utf-8")
    found = pieces(f"{name}.py", name, text)
    assert len(found) > 10
    after = cut_files({"m.py": text}, [piece._replace(path="m.py") for piece in found])["m.py"]
    assert signatures(after) == signatures(text)
    gone = [node for node in ast.walk(ast.parse(after)) if isinstance(node, ast.Raise)]
    assert len(gone) >= len({body.first for piece in found for body in piece.bodies})


def test_text_that_is_no_python_says_so():
    for text in ("def no(:", "x = '\0'", "(" * 5000):
        with pytest.raises(SyntaxError):
            pieces("m.py", "m", text)


def test_trivial_bodies_are_python_and_say_nothing():
    every = {each.said: each.instead for each in trivial()}
    for instead in every.values():
        assert signatures(cut_files({"m.py": TEXT}, named(TEXT).values(), instead)["m.py"]) == signatures(TEXT)
    assert every["return the first argument"](named(TEXT)["top"].bodies[0]) == "return a"
    assert every["return the first argument"](named(TEXT)["Kind.half"].bodies[0]) == "return self"


def seen_through(text: str, *cases: HiddenCase) -> set[str]:
    """Trivial bodies that `cases` tell apart without running them."""
    bodies = [("m", body) for piece in named(text).values() for body in piece.bodies]
    return {each.said for each in trivial() if is_seen_through(each, bodies, cases)}


def case(value: object, *args: object, raised: str | None = None, name: str = "f", **kwargs: object) -> HiddenCase:
    call = Call(
        module="m", qualname=name, args=tuple(map(encode, args)), kwargs={key: encode(kwargs[key]) for key in kwargs}
    )
    return HiddenCase(call=call, expected=Outcome(value=encode(value), raised=raised))


def test_what_a_trivial_body_gives_is_known_without_running_it():
    text = "def f(a, b=1):\n    c = a\n    return c\n"
    everything = {each.said for each in trivial()}
    assert seen_through(text, case(0, 0)) == everything - {"return 0", "return the first argument"}
    assert seen_through(text, case(0, b=2, a=0)) == everything - {"return 0", "return the first argument"}
    assert seen_through(text, case(iter([]), 3)) == everything - {"yield nothing"}
    assert seen_through(text, case(0, 0), case(1, 1)) == everything - {"return the first argument"}
    assert seen_through(text, case(None, 0, raised="builtins:KeyError")) == everything
    assert seen_through(text, case(5, 0, name="g")) == seen_through(f"@odd\n{text}", case(5, 0)) == set()


def test_mutants_are_wrong_in_one_spot_each():
    text = textwrap.dedent("""
        def f(a, b):
            total = 0
            if a < b and b:
                total += 2 * a
            if not total:
                raise ValueError("no 3 < 4" + str(1))
            return total
    """)
    (piece,) = pieces("m.py", "m", text)
    found = mutants({"m.py": text}, (piece,), 100, random.Random(0))
    bodies = {ast.dump(ast.parse(each.files["m.py"])) for each in found}
    assert len(bodies) == len(found) >= 10
    assert ast.dump(ast.parse(text)) not in bodies
    said = " ".join(each.said for each in found)
    for what in ("comparison", "operator", "and/or", "constant", "value returned", "condition", "left out"):
        assert f"f: {what}" in said or f"f: statement in line 3 {what}" in said
    assert all("'no 3 < 4' + str(1)" in each.files["m.py"] for each in found)
    again = mutants({"m.py": text}, (piece,), 4, random.Random(7))
    assert again == mutants({"m.py": text}, (piece,), 4, random.Random(7)) and len(again) == 4


def test_a_constant_that_is_mutated_gives_another_value():
    text = "def f(a):\n    a = 41\n    return a + 41\n"
    found = mutants({"m.py": text}, tuple(pieces("m.py", "m", text)), 100, random.Random(0))
    for each in found:
        space: dict[str, object] = {}
        exec(each.files["m.py"], space)
        assert space["f"](1) != 82  # type: ignore[operator]
