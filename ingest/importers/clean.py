"""Text that no database agrees on: NUL characters refuse a row, lone surrogates are repaired and flagged."""

from typing import Any, TypeVar, cast

from ingest.importers.base import Refused

T = TypeVar("T")


def clean(content: T, path: str = "") -> tuple[T, bool]:
    """`content` with U+FFFD for each lone surrogate, and whether there was one. Raises Refused where a NUL stands."""
    if isinstance(content, str):
        if "\x00" in content:
            raise Refused(f"{path or 'the text'} holds a NUL character")
        if content.isascii():
            return content, False
        fixed = content.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return cast(T, fixed), fixed != content
    if isinstance(content, dict):
        pairs = [
            (clean(name, path)[0], clean(inner, f"{path}.{name}" if path else name))
            for name, inner in cast(dict[str, Any], content).items()
        ]
        return cast(T, {name: inner for name, (inner, _) in pairs}), any(hit for _, (_, hit) in pairs)
    if isinstance(content, list):
        parts = [clean(inner, path) for inner in cast(list[Any], content)]
        return cast(T, [inner for inner, _ in parts]), any(hit for _, hit in parts)
    return content, False


def printable(text: str) -> str:
    """`text` fit for an event: NUL shown as its picture, lone surrogates replaced."""
    return clean(text.replace("\x00", "\u2400"))[0]
