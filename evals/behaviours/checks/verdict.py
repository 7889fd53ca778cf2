"""What a check found."""

from typing import NamedTuple


class Verdict(NamedTuple):
    """Whether it holds, and what was seen, in a line."""

    passed: bool
    said: str
