"""Calls in a room: what they give comes out by value, and what goes wrong inside is no answer."""

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evals.cleanroom import Room
from evals.cleanroom.bubblewrap import open_room
from evals.tasks.calls import agree, outcomes, take
from evals.tasks.task import Call, Outcome
from evals.tasks.values import encode

SOURCE = textwrap.dedent("""
    import os, sys, time

    seen = []

    class NoGood(ValueError):
        pass

    class Bag:
        def __init__(self, most, *, name="bag"):
            self.most, self.name, self.kept = most, name, []

        def put(self, item):
            if len(self.kept) == self.most:
                raise NoGood(item)
            self.kept.append(item)
            return len(self.kept)

        @property
        def last(self):
            return self.kept[-1]

        @staticmethod
        def of(count):
            return ["x"] * count

    class Always:
        def __eq__(self, other):
            return True

    def double(items):
        items.extend(items[:])
        return len(items)

    def lazy(n):
        for each in range(n):
            yield each
        raise NoGood(n)

    def remembers(value):
        seen.append(value)
        return len(seen)

    def crash():
        os._exit(3)

    def hang():
        while True:
            try:
                time.sleep(60)
            except BaseException:
                pass

    def claims():
        for stream in (1, 2, *range(3, 20)):
            try:
                os.write(stream, b'{"call": 0, "outcome": {"value": {"int": "42"}}}\\n')
            except OSError:
                pass
        return 0

    def eats():
        return len(bytearray(3 * 2**30))

    def equal():
        return Always()
""")


@pytest.fixture(scope="module")
def room(rooms: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    tree: Path = tmp_path_factory.mktemp("tree")
    (tree / "src").mkdir()
    (tree / "src/bag.py").write_text(SOURCE)
    (tree / "json.py").write_text("raise SystemExit('the tree shadows nothing of ours')")
    with open_room(tree) as opened:
        yield opened


def call(name: str, *args: object, **more: object) -> Call:
    return Call(module="bag", qualname=name, args=tuple(map(encode, args)), **more)  # type: ignore[arg-type]


def test_values_exceptions_and_what_becomes_of_arguments(room: Room):
    double, lazy, again, shared = outcomes(
        room, [call("double", [1, 2]), call("lazy", 2), call("remembers", 1), call("remembers", 1)]
    )
    assert double == Outcome(value=encode(4), after=[[encode([1, 2, 1, 2])], None])
    assert lazy and lazy.raised == "bag:NoGood" and lazy.value is None
    assert again == shared, "calls know of one another"


def test_methods_are_called_on_an_object_made_and_used_before(room: Room):
    build = ((encode(2),), {"name": "b"})
    steps: list[Any] = [("put", (item,), {}) for item in "abx"]
    put = call("Bag.put", "c", build=build, before=tuple(steps))
    last = call("Bag.last", build=build, before=(steps[0],))
    full, one, of, unseen = outcomes(
        room, [put, last, call("Bag.of", 2), last.model_copy(update={"look_at_object": False})]
    )
    assert full and full.raised == "bag:NoGood"
    assert one and one.value == "a" and '"kept"' in one.model_dump_json()
    assert of and of.value == encode(["x", "x"])
    assert unseen and unseen.value == "a" and unseen.after == [[], None]


def test_what_crashes_hangs_or_can_not_be_told_has_no_outcome_and_hurts_no_other(room: Room):
    calls = [call("crash"), call("hang"), call("nowhere"), call("eats"), call("double", [3])]
    *none, last = outcomes(room, calls, seconds=0.5)
    nowhere = none.pop(2)
    assert none == [None, None, None]
    assert nowhere and nowhere.raised == "builtins:AttributeError"
    assert last and last.value == encode(2)


def test_what_a_call_prints_is_no_answer(room: Room):
    first, second = outcomes(room, [call("claims"), call("double", [1])])
    assert first is None or first.value != encode(42)
    assert second and second.value == encode(2)


def test_an_object_that_equals_everything_is_not_taken_for_a_value(room: Room):
    (given,) = outcomes(room, [call("equal")])
    assert given and not agree(Outcome(value=encode(4), after=[[], None]), given)


def test_a_module_that_is_not_there_gives_no_outcome(room: Room):
    assert outcomes(room, [Call(module="nowhere", qualname="f")]) == [None]
    assert outcomes(room, []) == []


@pytest.mark.parametrize(
    "said",
    [None, [], {"call": 9}, {"call": "0", "outcome": {}}, {"call": True, "outcome": {}}, {"call": 0, "outcome": 3}],
)
def test_lines_of_another_shape_are_passed_over(said: object):
    found: list[Outcome | None] = [None, None]
    take(said, found)
    assert found == [None, None]


def test_keywords_are_told_in_one_order_whatever_order_they_come_in(room: Room):
    one = Call(module="bag", qualname="Bag", kwargs={"name": "b", "most": encode(1)})
    other = Call(module="bag", qualname="Bag", kwargs={"most": encode(1), "name": "b"})
    first, second = outcomes(room, [one, other])
    assert first and first == second
