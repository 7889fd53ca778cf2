"""Which column of a table is what: as the person says it, else guessed from the header."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from ingest.importers.base import Options
from models.errors import TerminalError
from models.feedback import TargetKind

FIELDS: dict[str, tuple[str, ...]] = {
    "text": (
        "what went wrong",
        "what happened",
        "comment",
        "comments",
        "feedback",
        "text",
        "message",
        "description",
        "details",
        "report",
        "issue",
        "problem",
    ),
    "author": (
        "email",
        "e mail",
        "email address",
        "author",
        "author id",
        "user",
        "user id",
        "reporter",
        "reported by",
        "username",
        "name",
    ),
    "rating": ("rating", "score", "stars"),
    "thumb": ("thumb", "thumbs", "vote", "reaction"),
    "time": ("timestamp", "time", "date", "created at", "submitted at", "when", "occurred at"),
    "link": ("link", "url"),
    "target": (
        "target",
        "target id",
        "response id",
        "message id",
        "trace id",
        "span id",
        "conversation id",
        "session id",
    ),
    "id": ("id", "feedback id", "submission id"),
    "metric": ("metric",),
    "conversation": (),
    "model": ("model", "model name"),
    "prompt": ("prompt",),
    "completion": ("completion", "response", "answer"),
    "version": ("version", "app version"),
}
"""Field -> header names it is guessed from, without case and punctuation."""

TARGET_KINDS: dict[str, TargetKind] = {
    "message id": "message",
    "trace id": "trace",
    "span id": "span",
    "conversation id": "conversation",
    "session id": "conversation",
}
KINDS: dict[str, TargetKind] = {
    "response": "response",
    "message": "message",
    "trace": "trace",
    "span": "span",
    "conversation": "conversation",
}


class Mapping(NamedTuple):
    """Field -> column, and what kind of thing the target column names."""

    columns: dict[str, str]
    target_kind: TargetKind


def map_columns(path: Path, header: Sequence[str], options: Options) -> Mapping:
    """The mapping for `header`. Raises TerminalError, with the columns there are, where it can't work."""
    there = f"its columns are {', '.join(map(repr, header))}"
    chosen = {name.removeprefix("map."): column for name, column in options.items() if name.startswith("map.")}
    for field, column in chosen.items():
        if field not in FIELDS:
            near = get_close_matches(field, FIELDS, 1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            raise TerminalError(f"there is no field {field!r} to map to{hint}: known are {', '.join(FIELDS)}")
        if column not in header:
            raise TerminalError(f"{path} has no column {column!r} for {field}: {there}")
    taken = set(chosen.values())
    for field, names in FIELDS.items():
        guesses = [column for column in header if column not in taken and _plain(column) in names]
        if field not in chosen and guesses:
            chosen[field] = min(guesses, key=lambda column: names.index(_plain(column)))
            taken.add(chosen[field])
    if "text" not in chosen and ("target" not in chosen or not chosen.keys() & {"rating", "thumb"}):
        raise TerminalError(f"{path} has no text, and no target with a rating or thumb: {there}; say --map text=COLUMN")
    return Mapping(chosen, _target_kind(chosen.get("target"), options.get("target_kind")))


def _target_kind(column: str | None, asked: str | None) -> TargetKind:
    if asked is None:
        return TARGET_KINDS.get(_plain(column or ""), "response")
    if asked not in KINDS:
        raise TerminalError(f"there is no target kind {asked!r}: known are {', '.join(KINDS)}")
    return KINDS[asked]


def _plain(column: str) -> str:
    """Lower case, words only: `What went wrong?` and `what_went_wrong` are one name."""
    return " ".join(re.findall(r"[a-z0-9]+", column.lower()))
