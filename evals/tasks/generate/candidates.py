"""What could be cut: a function, a class, a cluster of what calls one another across files, or all of a file.

Only what tests call and nothing calls at import. Left out: files that go away altogether.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import cycle
from typing import NamedTuple

from evals.tasks.generate.baseline import Baseline, Key
from evals.tasks.generate.difficulty import Dial, difficulty, fits
from evals.tasks.generate.pieces import Piece
from evals.tasks.task import Difficulty, Kind

SMALLEST: dict[Kind, int] = {"function": 3, "class": 8, "cluster": 8, "files": 12}
"""Lines of code."""
LARGEST = 400
WEIGHTS: dict[Dial | None, dict[Kind, int]] = {
    None: {"function": 5, "cluster": 3, "class": 2, "files": 1},
    "easy": {"function": 8, "class": 1, "cluster": 1},
    "medium": {"function": 4, "class": 2, "cluster": 3, "files": 1},
    "hard": {"cluster": 4, "class": 2, "files": 2, "function": 1},
}


Maker = Callable[[Sequence[Piece], Baseline, random.Random], Iterator[tuple[Piece, ...]]]


class Candidate(NamedTuple):
    """A cut that could become a task."""

    kind: Kind
    pieces: tuple[Piece, ...]
    difficulty: Difficulty

    @property
    def said(self) -> str:
        """In a line."""
        return " + ".join(f"{piece.module}:{piece.qualname}" for piece in self.pieces[:4])


def candidates(
    found: Sequence[Piece], seen: Baseline, kinds: Sequence[Kind], dial: Dial | None, chance: random.Random
) -> Iterator[Candidate]:
    """All of them, the kinds mixed as the dial wants, in an order that chance makes."""
    tested = frozenset[Key]().union(*seen.touched.values())
    usable = [piece for piece in found if _usable(piece, seen, tested)]
    makers: dict[Kind, Maker] = {"function": _functions, "class": _classes, "cluster": _clusters, "files": _files}
    by_kind: dict[Kind, list[Candidate]] = {}
    for kind in kinds:
        made = makers[kind](usable, seen, chance)
        every = [Candidate(kind, each, difficulty(each, seen.callees)) for each in made if _size(each, kind)]
        by_kind[kind] = [each for each in every if fits(each.difficulty.estimate, dial)]
        chance.shuffle(by_kind[kind])
        by_kind[kind].sort(key=_documented)  # the last are tried first
    weights = WEIGHTS[dial]
    order: list[Kind] = [kind for kind in by_kind for _ in range(weights.get(kind, 1))]
    chance.shuffle(order)
    for kind in cycle(order):
        if not any(by_kind.values()):
            return
        if by_kind[kind]:
            yield by_kind[kind].pop()


def keys(pieces: Sequence[Piece]) -> set[Key]:
    """(path, qualname) of what is cut."""
    return {(piece.path, body.qualname) for piece in pieces for body in piece.bodies}


def _documented(candidate: Candidate) -> float:
    """Share of its pieces that say what they are for, or are called by who uses the package."""
    known = [
        bool(piece.doc) or not any(part.startswith("_") for part in piece.qualname.split("."))
        for piece in candidate.pieces
    ]
    return round(sum(known) / len(known), 1)


def _size(pieces: tuple[Piece, ...], kind: Kind) -> bool:
    return SMALLEST[kind] <= sum(piece.lines for piece in pieces) <= LARGEST


def _usable(piece: Piece, seen: Baseline, tested: frozenset[Key]) -> bool:
    mine = keys([piece])
    return not mine & seen.at_import and bool(mine & tested)


def _functions(usable: Sequence[Piece], _: Baseline, __: random.Random) -> Iterator[tuple[Piece, ...]]:
    return ((piece,) for piece in usable if not piece.is_class and piece.name != "__init__")


def _classes(usable: Sequence[Piece], _: Baseline, __: random.Random) -> Iterator[tuple[Piece, ...]]:
    return ((piece,) for piece in usable if piece.is_class and len(piece.bodies) > 1)


def _files(usable: Sequence[Piece], _: Baseline, __: random.Random) -> Iterator[tuple[Piece, ...]]:
    """All that can be cut of a file, where that is most of it: two functions or classes at least."""
    by_path: dict[str, list[Piece]] = {}
    for piece in usable:
        if piece.is_class or "." not in piece.qualname:
            by_path.setdefault(piece.path, []).append(piece)
    return (tuple(each) for each in by_path.values() if len(each) > 1)


def _clusters(usable: Sequence[Piece], seen: Baseline, chance: random.Random) -> Iterator[tuple[Piece, ...]]:
    """From each call between two files (then from each within one): the two, and up to three more that the same tests
    call and that one of them calls or is called by."""
    by_key = {(piece.path, piece.qualname): piece for piece in usable if not piece.is_class}
    tests = _tests_by_key(seen, by_key)
    pairs = [
        (one, other)
        for one, callees in sorted(seen.callees.items())
        for other in sorted(callees)
        if one in by_key and other in by_key and one != other and tests[one] & tests[other]
    ]
    chance.shuffle(pairs)
    pairs.sort(key=lambda pair: pair[0][0] == pair[1][0])
    taken = set[frozenset[Key]]()
    for one, other in pairs:
        cluster = [one, other]
        shared = tests[one] & tests[other]
        near = sorted({*seen.callees.get(one, ()), *seen.callees.get(other, ())} & by_key.keys() - {one, other})
        chance.shuffle(near)
        for each in near[: chance.randint(0, 3)]:
            if shared & tests[each]:
                cluster.append(each)
        if frozenset(cluster) not in taken and not any(set(cluster) <= each for each in taken):
            taken.add(frozenset(cluster))
            yield tuple(by_key[key] for key in cluster)


def _tests_by_key(seen: Baseline, wanted: Mapping[Key, Piece]) -> dict[Key, set[str]]:
    found: dict[Key, set[str]] = {key: set() for key in wanted}
    for test, touched in seen.touched.items():
        for key in touched & wanted.keys():
            found[key].add(test)
    return found
