"""Which calls may be hidden cases, which are picked, and how hard a task looks."""

import textwrap

import pytest

from evals.tasks.generate.baseline import Baseline, Key
from evals.tasks.generate.cases import above_them, chosen, is_opaque, modules_of_cut_classes, named_exceptions
from evals.tasks.generate.difficulty import DEPTH, RANGES, difficulty, fits
from evals.tasks.generate.pieces import Piece, pieces
from evals.tasks.instructions import attributes
from evals.tasks.task import Call, HiddenCase, Outcome
from evals.tasks.values import Json, encode

TEXT = textwrap.dedent('''
    class Box:
        """Holds things. Raises KeyError for what it has not."""

        def __init__(self):
            self.kept = {}

        def get(self, name):
            if not name:
                raise Empty(name)
            return self.kept[name]

    def free(a):
        """Gives up with LookupError."""
        if a:
            raise NotImplementedError
        b = a
        return b
''')
FOUND = {piece.qualname: piece for piece in pieces("p/m.py", "p.m", TEXT)}


def case(name: str, value: Json = None, raised: str | None = None, arg: int = 0) -> HiddenCase:
    call = Call(module="p.m", qualname=name, args=(encode(arg),))
    return HiddenCase(call=call, expected=Outcome(value=value, raised=raised))


TOLD: list[tuple[Json, bool]] = [
    ({"function": "p.m:free"}, False),
    ({"function": "p.m:free.<locals>.inner"}, True),
    ({"list": [{"class": "p.m:make.<locals>.Made"}]}, True),
    ({"object": "operator:itemgetter", "has": []}, True),
    ({"object": "functools:partial", "has": [["func", None]]}, True),
    ({"object": "collections:OrderedDict", "as": {"dict": []}, "has": []}, False),
    ({"object": "p.m:Box", "has": [["kept", {"dict": []}]]}, False),
    ({"object": "p.m:Box", "has": []}, True),
    ({"iterator": [{"tuple": [{"int": "1"}, "a"]}]}, False),
]


@pytest.mark.parametrize(("told", "opaque"), TOLD)
def test_what_is_known_by_its_name_alone_is_no_case(told: Json, opaque: bool):
    assert is_opaque(told, {"p"}) is opaque


def test_exceptions_count_where_a_body_raises_or_a_docstring_names_them():
    assert {"KeyError", "Empty"} <= named_exceptions([FOUND["Box"]])
    assert "Empty" in named_exceptions([FOUND["Box.get"]]) and "KeyError" not in named_exceptions([FOUND["Box.get"]])
    assert "LookupError" in named_exceptions([FOUND["free"]])
    assert "NotImplementedError" not in named_exceptions([FOUND["free"]])


def test_how_a_class_that_was_cut_keeps_its_state_is_nobodys_business():
    assert modules_of_cut_classes([FOUND["Box"]]) == modules_of_cut_classes([FOUND["Box.__init__"]]) == {"p.m"}
    assert modules_of_cut_classes([FOUND["Box.get"], FOUND["free"]]) == set()


def test_attributes_of_objects_are_named_wherever_they_are():
    inner = {"object": "p.m:Box", "has": [["kept", {"object": "p.m:Box", "as": 1, "has": [["deep", 1]]}]]}
    assert attributes([{"list": [inner]}, None]) == {"kept", "deep"}


def test_cases_are_picked_by_turns_new_outcomes_first_and_few_exceptions():
    every = [case("f", "same", arg=number) for number in range(30)] + [case("f", "other")] + [case("g", "g")]
    every += [case("h", raised="builtins:KeyError", arg=number) for number in range(30)]
    picked = chosen(every, 8)
    assert [each.call.qualname for each in picked[:3]] == ["f", "g", "h"]
    assert {each.expected.value for each in picked if each.call.qualname == "f"} == {"same", "other"}
    assert sum(each.expected.raised is not None for each in picked) == 2
    assert chosen([], 5) == []


def seen(callees: dict[Key, set[Key]], called: set[Key]) -> Baseline:
    edges = {key: frozenset(each) for key, each in callees.items()}
    calls: dict[Key, list[dict[str, object]]] = {key: [{}] for key in called}
    return Baseline({}, {}, frozenset(), edges, calls, {})


def test_public_functions_that_lead_to_the_cut_are_found_nearest_first():
    keys: list[Key] = [("m.py", name) for name in ("cut", "_near", "Near.go", "far", "unseen")]
    cut, near, public, far, unseen = keys
    found = seen({near: {cut}, public: {cut}, far: {near}, unseen: {cut}, cut: {far}}, {cut, near, public, far})
    assert above_them({cut}, found) == [public, far]


def test_difficulty_grows_with_lines_files_and_depth_and_stays_within_one():
    def sized(lines: int, *paths: str) -> tuple[Piece, ...]:
        return tuple(FOUND["free"]._replace(path=path, lines=lines) for path in paths)

    chain: dict[Key, frozenset[Key]] = {
        ("a", "free"): frozenset({("a", "b")}),
        ("a", "b"): frozenset({("a", "c"), ("a", "free")}),
    }
    plain = difficulty(sized(10, "a"), {})
    assert plain.estimate < difficulty(sized(100, "a"), {}).estimate
    assert plain.estimate < difficulty(sized(5, "a", "b"), {}).estimate
    deep = difficulty(sized(10, "a"), chain)
    assert (plain.call_depth, deep.call_depth) == (0, 2) and plain.estimate < deep.estimate
    endless: dict[Key, frozenset[Key]] = {("a", "free"): frozenset(("a", str(number)) for number in range(9))}
    endless |= {("a", str(one)): frozenset(("a", str(two)) for two in range(9)) for one in range(9)}
    hardest = difficulty(sized(9999, "a", "b", "c", "d"), endless)
    assert hardest.estimate == 1.0 and hardest.call_depth == DEPTH
    for estimate in (0.0, 0.36, 0.52, 1.0):
        assert fits(estimate, None) and sum(fits(estimate, dial) for dial in RANGES) == 1
