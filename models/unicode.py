"""Text that every database and every encoder takes: no lone surrogates, no NUL.

A lone surrogate breaks encoding, hashing and embedding, and is repaired, which is flagged. Databases and C libraries
disagree on what follows a NUL, so that it is refused. Left out: normal forms, which are `text/`'s.
"""

from typing import Any, TypeVar, cast

T = TypeVar("T")

REPLACEMENT = "\ufffd"
NUL_PICTURE = "\u2400"


class Unclean(ValueError):
    """Content that can't be repaired. The message says where and why, in one line."""


def repair(text: str) -> tuple[str, bool]:
    """`text` with U+FFFD for every lone surrogate, and whether there was one.

    A high and a low surrogate side by side are the two halves of one character: they are joined, which loses nothing
    and is not flagged. The text returned can always be encoded as UTF-8.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        fixed = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return fixed, fixed.count(REPLACEMENT) > text.count(REPLACEMENT)
    return text, False


def repair_json(content: T) -> tuple[T, bool]:
    """`content`, of JSON types, with all its texts and names repaired, and whether there was anything to repair.

    Raises Unclean where a NUL stands, and for content that is nested too deeply.
    """
    try:
        return _repaired(content, "")
    except RecursionError as error:
        raise Unclean("it is nested too deeply") from error


def printable(text: str) -> str:
    """`text` for people to read, whatever it holds: repaired, and each NUL as its picture."""
    return repair(text.replace("\x00", NUL_PICTURE))[0]


def _repaired(content: T, path: str) -> tuple[T, bool]:
    if isinstance(content, str):
        if "\x00" in content:
            raise Unclean(f"{' '.join(printable(path).split()) or 'the text'} holds a NUL character")
        return cast(tuple[T, bool], repair(content))
    if isinstance(content, dict):
        fields = cast(dict[str, Any], content)
        names = [_repaired(name, f"a name in {path}" if path else "a name") for name in fields]
        inner = [_repaired(value, f"{path}.{name}" if path else name) for name, value in fields.items()]
        fixed = {name: value for (name, _), (value, _) in zip(names, inner, strict=True)}
        return cast(T, fixed), any(hit for _, hit in names + inner)
    if isinstance(content, list):
        parts = [_repaired(value, f"{path}[]") for value in cast(list[Any], content)]
        return cast(T, [value for value, _ in parts]), any(hit for _, hit in parts)
    return content, False
