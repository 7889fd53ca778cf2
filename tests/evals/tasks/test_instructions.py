"""The two proofs say what is wrong where something is."""

from pathlib import Path

import pytest

from evals.tasks.folder import archive, sha256, write
from evals.tasks.instructions import Promise, instructions, literals, missing, revealed, shown
from evals.tasks.task import Call, Hidden, HiddenCase, Outcome, Unit
from tests.evals.tasks.test_folder import GOLD, TEST, parts

LONG = '''def f(a, kind="x"):
    """Say it."""
    total = [each * 2 + 1 for each in a if each]
    named = {"the kind is": kind, "of": total[0]}
    return sorted(named.items()) + [("sum", total)]
'''


def case(qualname: str = "f", **more: object) -> HiddenCase:
    expected = Outcome.model_validate(more.pop("expected", {}))
    return HiddenCase(call=Call.model_validate({"module": "m", "qualname": qualname} | more), expected=expected)


def task(tmp_path: Path, text: str, *cases: HiddenCase, gold: str = GOLD, tree: str = "def f(a): ...\n") -> Path:
    made = parts(text, Hidden(cases=cases), {"m.py": tree.encode(), "test_m.py": b"import m\nm.f(1)\n"})
    tar = archive({"m.py": gold.encode()})
    tests = archive({"test_m.py": b"import m\nm.f(1)\n"})
    changed = {"gold_sha256": sha256(tar), "tests_sha256": sha256(tests)}
    return write(tmp_path, made._replace(gold=tar, tests=tests, task=made.task.model_copy(update=changed)))


@pytest.mark.parametrize(
    ("needed", "absent"),
    [
        (case(), []),
        (case("hidden_name"), ["hidden_name"]),
        (case("Bag.put"), ["Bag", "put"]),
        (case(expected={"raised": "m:TooOdd"}), ["TooOdd"]),
        (case(kwargs={"a": 1}), []),
        (case(expected={"value": {"list": ["the kind is", "x"]}}), ["'the kind is'"]),
        (case(args=("the kind is",), expected={"value": "the kind is"}), []),
    ],
)
def test_what_hidden_cases_need_and_nothing_says_is_missing(tmp_path: Path, needed: HiddenCase, absent: list[str]):
    assert missing(task(tmp_path, "Write `f`.", needed, gold=LONG)) == absent


def test_what_the_text_says_is_not_missing(tmp_path: Path):
    said = "`Bag.put` raises `TooOdd` and gives 'the kind is'."
    cases = (case("Bag.put", expected={"raised": "m:TooOdd"}), case(expected={"value": "the kind is"}))
    assert missing(task(tmp_path, said, *cases, gold=LONG)) == []


def test_names_of_tests_that_lie_not_in_the_tree_are_missing(tmp_path: Path):
    assert missing(write(tmp_path / "with", parts(tree={"m.py": b"def f(a): ...", "test_m.py": TEST}))) == []
    assert missing(write(tmp_path / "without", parts("Write it.", tree={"n.py": b""}))) == ["f"]


def test_a_body_in_text_docstring_or_tree_is_revealed(tmp_path: Path):
    body = LONG.split('"""Say it."""\n')[1]
    assert revealed(task(tmp_path / "a", "Write `f`.", gold=LONG)) == []
    assert revealed(task(tmp_path / "b", f"Write `f`:\n\n{body}", gold=LONG))
    assert revealed(task(tmp_path / "c", "Write `f`.", gold=LONG, tree=f"def g(a, kind):\n{body}"))
    quoted = body.replace("    ", "    >>> ")
    assert revealed(task(tmp_path / "d", f"~~~text\n{quoted}\n~~~", gold=LONG))


def test_texts_of_a_body_are_needed_where_a_case_shows_them():
    assert literals([LONG.split('"""\n')[1], "    # only this\n"]) == {"the kind is", "of", "sum"}
    assert shown("of", case(expected={"value": ["of"]})) and not shown(
        "of", case(args=("of",), expected={"value": "of"})
    )


def test_text_names_what_is_missing_what_it_promised_and_few_tests():
    unit = Unit(path="p/m.py", qualname="f", module="p.m", lines=3)
    bare = Unit(path="p/n.py", qualname="C.g", module="p.n", lines=3)
    promises = [
        Promise(unit, "def f(a)", "Says it.\n\n>>> f(1)", ("KeyError", "ValueError"), ("x y",)),
        Promise(bare, "def g(self)", ""),
    ]
    text = instructions("p", "1.2", promises, [f"test_m.py::test_{number}" for number in range(50)])
    for said in (
        "# Write what is missing in p 1.2",
        "## `p/m.py`",
        "### `C.g`",
        "def g(self)",
        ">>> f(1)",
        "these files",
    ):
        assert said in text
    assert "Some calls end in `KeyError` or `ValueError`." in text and "may hold `'x y'`" in text
    assert "It has no docstring" in text
    assert text.count("- `test_m.py") == 40 and "and 10 more" in text
