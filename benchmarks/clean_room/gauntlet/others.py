# ruff: noqa: E501 (code within texts)
"""Other algorithms that do the same, written by hand: path -> text, two for each package."""

SPANS = [
    '''"""Join intervals that touch."""


def check(span):
    """Return `span` as a pair; raise ValueError where it ends before it starts."""
    start, end = span
    if end < start:
        raise ValueError(f"span ends before it starts: {start}..{end}")
    return start, end


def merge(spans, gap=0):
    """Join by folding each interval into those that it touches."""
    if gap < 0:
        raise ValueError("gap must be at least 0")
    groups = []
    for span in spans:
        low, high = check(span)
        apart = []
        for other in groups:
            if other[0] - high > gap or low - other[1] > gap:
                apart.append(other)
            else:
                low, high = min(low, other[0]), max(high, other[1])
        groups = [*apart, (low, high)]
    while True:
        groups.sort()
        for place in range(len(groups) - 1):
            if groups[place + 1][0] - groups[place][1] <= gap:
                one, two = groups[place], groups[place + 1]
                groups[place : place + 2] = [(one[0], max(one[1], two[1]))]
                break
        else:
            return groups


def covered(spans):
    """How much is covered by `spans`, counted once."""
    return sum(end - start for start, end in merge(spans))
''',
    '''"""Join intervals that touch."""

from functools import reduce


def check(span):
    """Return `span` as a pair; raise ValueError where it ends before it starts."""
    start, end = span
    if end < start:
        raise ValueError(f"span ends before it starts: {start}..{end}")
    return start, end


def _add(done, span):
    match done:
        case [*rest, (start, end)] if span[0] - end <= _add.gap:
            return [*rest, (start, max(end, span[1]))]
        case _:
            return [*done, span]


def merge(spans, gap=0):
    """Fold sorted intervals."""
    if gap < 0:
        raise ValueError(f"{gap=} is negative")
    _add.gap = gap
    return reduce(_add, sorted(map(check, spans)), [])


def covered(spans):
    """How much is covered by `spans`, counted once."""
    points = set()
    for start, end in spans:
        points.update(range(start, end))
    return len(points)
''',
]

STOCK = [
    '''"""A shelf that counts what is put on it and taken from it."""

import heapq


class ShortOf(LookupError):
    """More was asked for than there is."""


class Shelf:
    """Counts by name."""

    def __init__(self, limit=None):
        self.limit = limit
        self.counts = {}

    def put(self, name, number=1):
        """Add pieces."""
        if not number >= 1:
            raise ValueError(number)
        if self.limit is not None:
            room = self.limit - self.total()
            if number > room:
                raise OverflowError(f"room for {room} only")
        self.counts.setdefault(name, 0)
        self.counts[name] += number
        return self.counts[name]

    def take(self, name, number=1):
        """Remove pieces."""
        left = self.counts.get(name, 0) - number
        if left < 0:
            raise ShortOf(name)
        self.counts[name] = left
        if left == 0:
            self.counts.pop(name)
        return left

    def total(self):
        """Pieces in all."""
        return sum(self.counts.values())

    def most(self, top=1):
        """Names with most pieces."""
        return heapq.nsmallest(top, self.counts.items(), key=lambda pair: (-pair[1], pair[0]))
''',
    '''"""A shelf that counts what is put on it and taken from it."""

from collections import Counter


class ShortOf(LookupError):
    """More was asked for than there is."""


class Shelf:
    """Counts by name."""

    def __init__(self, limit=None):
        self.limit = limit
        self.counts = {}

    def put(self, name, number=1):
        """Add pieces."""
        if number <= 0:
            raise ValueError("nothing to put")
        if self.limit is not None and sum(self.counts.values(), number) > self.limit:
            raise OverflowError("full")
        now = self.counts[name] = self.counts.get(name, 0) + number
        return now

    def take(self, name, number=1):
        """Remove pieces."""
        try:
            there = self.counts[name]
        except KeyError:
            there = 0
        if number > there:
            raise ShortOf(f"only {there} of {name}")
        if number == there:
            del self.counts[name]
            return 0
        self.counts[name] -= number
        return self.counts[name]

    def total(self):
        """Pieces in all."""
        return Counter(self.counts).total()

    def most(self, top=1):
        """Names with most pieces."""
        by_name = sorted(self.counts.items())
        by_name.sort(key=lambda pair: pair[1], reverse=True)
        return by_name[:top]
''',
]

SUMS = [
    {
        "sums/tokens.py": '''"""Text to tokens, by a regular expression."""

import re


class BadSum(ValueError):
    """A text that is no sum."""


PATTERN = re.compile(r"\\s*(?:(?P<number>\\d+)|(?P<name>[A-Za-z][A-Za-z0-9]*)|(?P<sign>[-+*()]))")


def tokens(text):
    """Split `text`."""
    found, place, text = [], 0, text.rstrip()
    while place < len(text):
        match = PATTERN.match(text, place)
        if match is None:
            raise BadSum(f"unexpected character at {place}")
        found.append(int(match["number"]) if match["number"] else match[0].strip())
        place = match.end()
    return found
''',
    },
    {
        "sums/tree.py": '''"""Tokens to a tree of tuples, by precedence climbing."""

from sums.tokens import BadSum, tokens

SIGNS = ("+", "-", "*", "(", ")")
POWER = {"+": 1, "-": 1, "*": 2}


def parse(text):
    """The tree of `text`."""
    rest = tokens(text)
    tree = climb(rest, 1)
    if rest:
        raise BadSum(f"unexpected {rest[0]}")
    return tree


def climb(rest, least):
    """Operators that bind at least so tightly."""
    tree = atom(rest)
    while rest and POWER.get(rest[0], 0) >= least:
        sign = rest.pop(0)
        tree = (sign, tree, climb(rest, POWER[sign] + 1))
    return tree


def addition(rest):
    """Products joined by + and -."""
    return climb(rest, 1)


def product(rest):
    """Atoms joined by *."""
    return climb(rest, 2)


def atom(rest):
    """A number, a name, or a sum in brackets."""
    if not rest:
        raise BadSum("unexpected end")
    token, *_ = rest
    del rest[0]
    if token == "(":
        inner = climb(rest, 1)
        if rest[:1] != [")"]:
            raise BadSum("missing )")
        del rest[0]
        return inner
    if isinstance(token, str) and token in SIGNS:
        raise BadSum(f"unexpected {token}")
    return token
''',
        "sums/run.py": '''"""Trees to numbers."""

import operator

from sums.tree import parse

OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def evaluate(text, names=None):
    """What `text` comes to."""
    return value(parse(text), {} if names is None else names)


def value(tree, names):
    """What a tree comes to."""
    match tree:
        case int():
            return tree
        case str():
            return names[tree]
        case (sign, left, right):
            return OPERATORS[sign](value(left, names), value(right, names))
''',
    },
]

MEASURES = [
    '''"""Read and write lengths with a unit, by regular expressions."""

import re

from measures.errors import NoLength

MILLIMETRES = {"km": 10**6, "m": 10**3, "dm": 10**2, "cm": 10, "mm": 1}


def parse(text):
    """Millimetres of a text."""
    cleaned = text.strip()
    parts = re.findall(r"(\\d*)\\s*([A-Za-z]+)|(\\d+)", cleaned)
    if not parts:
        raise NoLength("empty")
    total = 0
    for digits, unit, alone in parts:
        if alone or not digits:
            raise NoLength(f"incomplete: {text}")
        try:
            total += int(digits) * MILLIMETRES[unit]
        except KeyError:
            raise NoLength(f"unit {unit}") from None
    return total


def show(length):
    """The shortest way to write `length`."""
    if length < 0:
        raise ValueError("negative length")
    out = []
    for unit, size in MILLIMETRES.items():
        if length >= size:
            out.append(str(length // size) + unit)
            length %= size
    return " ".join(out) or "0mm"


def longest(texts):
    """The text that says the longest length."""
    return max(texts, key=parse, default=None)
''',
    '''"""Read and write lengths with a unit, by groups of characters."""

from itertools import groupby

from measures.errors import NoLength

ORDER = ("km", "m", "dm", "cm", "mm")
SIZES = dict(zip(ORDER, (1_000_000, 1_000, 100, 10, 1), strict=True))


def parse(text):
    """Millimetres of a text."""
    words = ["".join(group) for kind, group in groupby(text, key=lambda c: "d" if c.isdigit() else "a" if c.isalpha() else "") if kind]
    if not words or len(words) % 2:
        raise NoLength(f"not a length: {text!r}")
    total = 0
    for number, unit in zip(words[::2], words[1::2], strict=True):
        if not number.isdigit() or unit not in SIZES:
            raise NoLength(f"not a length: {number}{unit}")
        total += int(number) * SIZES[unit]
    return total


def show(length):
    """The shortest way to write `length`."""
    if length < 0:
        raise ValueError(length)

    def parts(rest, units):
        if not units:
            return []
        whole, rest = divmod(rest, SIZES[units[0]])
        return ([f"{whole}{units[0]}"] if whole else []) + parts(rest, units[1:])

    return " ".join(parts(length, ORDER)) if length else "0mm"


def longest(texts):
    """The text that says the longest length."""
    lengths = [(parse(text), -place) for place, text in enumerate(texts)]
    return texts[-max(lengths)[1]] if lengths else None
''',
]

OTHERS: dict[str, list[dict[str, str]]] = {
    "spans": [{"spans/merge.py": text} for text in SPANS],
    "stock": [{"stock/shelf.py": text} for text in STOCK],
    "sums": SUMS,
    "measures": [{"measures/text.py": text} for text in MEASURES],
}
