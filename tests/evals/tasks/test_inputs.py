"""Near calls are of the same types, and are the same for the same chance."""

import random
from typing import Any

import pytest

from evals.tasks.generate.inputs import inputs, mutated, near
from evals.tasks.task import Call
from evals.tasks.values import decode, encode

VALUES = [
    0, -7, 3.5, True, "text", "", [1, 2, 3], (1, "a"), {"a": 1, "b": [2]}, {1, 2}, frozenset({3}), b"ab", range(5),
    None,
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_near_values_are_of_the_same_type(value: object):
    found = [decode(near(encode(value), random.Random(seed))) for seed in range(60)]
    assert {type(each) for each in found} == {type(value)}
    if value is not None:
        assert any(each != value for each in found)


def test_sequences_become_empty_single_longer_and_reordered_and_texts_foreign():
    lists: list[list[int]] = [decode(near(encode([1, 2, 3]), random.Random(seed))) for seed in range(99)]
    for wanted in ([], [1], [3, 2, 1], [1, 2, 3, 1, 2, 3], [1, 2, 3, 3]):
        assert wanted in lists
    texts = [near("ab", random.Random(seed)) for seed in range(99)]
    assert "" in texts and any(not text.isascii() for text in texts)


def test_numbers_stay_small():
    found: list[int] = [decode(near(encode(900), random.Random(seed))) for seed in range(99)]
    assert max(map(abs, found)) <= 1000 and -900 in found


def test_functions_of_tests_become_ones_of_the_standard_library_that_take_as_many_arguments():
    seen: list[dict[str, Any]] = [
        {"module": "m", "qualname": "f", "args": [{"callable": 2}, {"list": [{"callable": 9}]}], "kwargs": {}}
    ]
    assert inputs(seen, random.Random(0), 10) == []
    seen[0]["args"] = [{"callable": 2}, {"list": []}]
    found = inputs(seen, random.Random(0), 10)
    assert found
    for call in found:
        function = decode(call.args[0])
        assert function(3, 2) is not None


def test_calls_come_as_they_were_seen_and_near_without_doubles():
    seen = [{"module": "m", "qualname": "f", "args": [encode([3, 1])], "kwargs": {"key": None}}]
    found = inputs(seen, random.Random(0), 6)
    assert found == inputs(seen, random.Random(0), 6)
    assert found[0].args == (encode([3, 1]),) and found[0].kwargs == {"key": None}
    assert len({call.model_dump_json() for call in found}) == len(found) > 2


def test_steps_before_a_call_change_too():
    call = Call(module="m", qualname="C.get", args=("a",), build=((encode(3),), {}), before=(("put", ("a", "b"), {}),))
    found = [mutated(call, random.Random(seed)) for seed in range(60)]
    assert {len(each.before) for each in found} == {0, 1}
    assert len({each.before[0][1] for each in found if each.before}) > 1
