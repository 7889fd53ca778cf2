"""A small package with tests of its own, and with one of each thing that no task may be made of."""

from pathlib import Path

WORDS = '''
"""Words."""


def slug(text, separator="-"):
    """Lower-case words of `text`, joined by `separator`.

    >>> slug("Big Blue")
    'big-blue'
    """
    words = []
    for word in text.split():
        kept = "".join(letter for letter in word.lower() if letter.isalnum())
        if kept:
            words.append(kept)
    return separator.join(words)


def shorten(text, width, ending="..."):
    """`text` in at most `width` characters. Raises ValueError where not even the ending fits."""
    if len(text) <= width:
        return text
    if width < len(ending):
        raise ValueError("too narrow")
    return text[: width - len(ending)] + ending


def pairs(items):
    """Neighbours, two at a time."""
    # previous one, then the next
    before = None
    for number, item in enumerate(items):
        if number > 0:
            yield before, item
        before = item


def decorate(text):
    first = "<" + text
    second = first + ">"
    third = second.strip()
    return third


def default_title(name):
    """Used while the package is imported."""
    parts = name.split("_")
    named = [part.title() for part in parts]
    return " ".join(named)


TITLE = default_title("my_shelf")


def untested(value):
    """No test calls it."""
    total = value + 1
    total *= 2
    return total


def barely(value):
    """A test calls it, and asks for nothing."""
    kept = [value]
    kept.append(value)
    del kept[:]


def echo(value):
    """What `return value` would do as well."""
    kept = [value]
    last = kept[-1]
    return last
'''

COPY = """
def decorated(text):
    first = "<" + text
    second = first + ">"
    third = second.strip()
    return third
"""

STOCK = '''
from .words import slug


class Stock:
    """How many there are of what."""

    def __init__(self, most=10):
        self.most = most
        self._counts = {}

    def add(self, name, count=1):
        """Add some; all beyond `most` are refused with OverflowError."""
        key = label(name)
        new = self._counts.get(key, 0) + count
        if new > self.most:
            raise OverflowError(f"{key}: {new}")
        self._counts[key] = new
        return new

    def take(self, name):
        """One less; True where there was one."""
        key = label(name)
        if self._counts.get(key, 0) == 0:
            return False
        self._counts[key] -= 1
        return True

    @property
    def total(self):
        """Of everything."""
        total = 0
        for count in self._counts.values():
            total += count
        return total


def label(name):
    """What stands on a shelf."""
    text = slug(name, "_")
    if not text:
        text = "nothing"
    return text
'''

TESTS = '''
import itertools
import os
import time

import pytest

from shelf import words
from shelf.stock import Stock, label


@pytest.mark.parametrize(
    ("text", "expected"), [("Big Blue", "big-blue"), ("", ""), ("a  !! b", "a-b"), ("Über 9", "über-9")]
)
def test_slug(text, expected):
    assert words.slug(text) == expected


def test_slug_with_a_separator():
    assert words.slug("one two", separator="+") == "one+two"


def test_shorten():
    assert words.shorten("abcdef", 6) == "abcdef"
    assert words.shorten("abcdefg", 6) == "abc..."
    assert words.shorten("abcdefg", 3) == "..."
    with pytest.raises(ValueError):
        words.shorten("abcdef", 2)


def test_pairs():
    assert list(words.pairs([1, 2, 3])) == [(1, 2), (2, 3)]
    assert list(words.pairs(iter([iter([1]), iter([2])]))) and list(words.pairs([])) == []


def test_iterators_reach_the_body_whole():
    rows = iter([iter([1, 2]), iter([3])])
    assert [[*a, *b] for a, b in words.pairs(rows)] == [[1, 2, 3]]


def test_decorate():
    assert words.decorate("a") == "<a>"


def test_default_title():
    assert words.default_title("a_b") == "A B" and words.TITLE == "My Shelf"


def test_barely():
    words.barely(1)


def test_echo():
    assert words.echo(3) == 3


def test_label():
    assert label("A b") == "a_b"
    assert label("!") == "nothing"


def test_stock():
    stock = Stock(3)
    assert stock.add("Red Box") == 1
    assert stock.add("red  box", 2) == 3
    with pytest.raises(OverflowError):
        stock.add("red box")
    assert stock.take("red box") and stock.total == 2
    assert not stock.take("blue box")


def test_stock_is_full_at_most():
    stock = Stock()
    assert stock.add("a", 10) == 10 and stock.most == 10


def test_unlucky():
    """Fails wherever the hash seed says so."""
    assert words.slug("a b") == "a-b"
    assert os.environ["PYTHONHASHSEED"] != "3"


def test_fails():
    assert words.slug("a") == "b"


def test_never_ends():
    words.slug("a")
    time.sleep(600)
'''


def make(folder: Path, *, endless: bool = True) -> Path:
    """Write it below `folder`, with a cache and a link that no task may hold."""
    files = {
        "shelf/__init__.py": '"""A shelf."""\n\n__version__ = "1.2"\n',
        "shelf/words.py": WORDS.lstrip(),
        "shelf/old.py": COPY.lstrip(),
        "shelf/stock.py": STOCK.lstrip(),
        "shelf/broken.py": "def no(:\n",
        "tests/test_shelf.py": TESTS.lstrip() if endless else TESTS.lstrip().split("def test_never_ends")[0],
        "tests/data/words.txt": "a b\n",
        "README.md": "# Shelf\n",
        "pyproject.toml": '[project]\nname = "shelf"\nversion = "1.2"\n[tool.pytest.ini_options]\naddopts = "--cov"\n',
        "shelf/__pycache__/words.cpython-311.pyc": "not really\n",
    }
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    (folder / "tests/data/secret").symlink_to("/etc/passwd")
    return folder
