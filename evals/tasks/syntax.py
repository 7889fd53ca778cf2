"""Python's own parser, for one thread at a time: CPython 3.11 counts the depth of a tree under construction in one
place for all threads, and ends a second one with SystemError."""

import ast
from threading import Lock

ONE_AT_A_TIME = Lock()


def parse(text: str) -> ast.Module:
    """The tree of a file. Raises SyntaxError for all that is no Python, also by its nesting or its characters."""
    with ONE_AT_A_TIME:
        try:
            return ast.parse(text)
        except (ValueError, RecursionError, MemoryError) as error:
            raise SyntaxError(str(error)) from error
