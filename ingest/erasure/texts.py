"""The texts in a row: what a person, or a model in answer to them, has written. Pure."""

import json
from collections.abc import Iterator
from typing import Any

PLAIN = {
    "responses": ("prompt", "completion", "outcome_detail"),
    "feedback": ("text", "label", "explanation"),
}
"""Topic -> columns that are text."""
STEPS = "steps"
"""Of a rollout: JSON, with the text of each step and the arguments of its calls."""


def columns(topic: str) -> tuple[str, ...]:
    """The columns of `topic` that hold text; () where nobody writes any."""
    return (*PLAIN[topic], STEPS) if topic == "responses" else PLAIN.get(topic, ())


def texts_of(row: dict[str, Any], topic: str) -> set[str]:
    """The texts of a row with `columns(topic)`."""
    plain = {row[name] for name in PLAIN.get(topic, ()) if row[name]}
    steps = row[STEPS] if topic == "responses" else None
    return plain | (set(_strings(json.loads(steps))) if steps else set())


def _strings(content: Any) -> Iterator[str]:
    """Every text in the steps, however deep."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for inner in content:  # pyright: ignore[reportUnknownVariableType]
            yield from _strings(inner)
    elif isinstance(content, dict):
        for inner in content.values():  # pyright: ignore[reportUnknownVariableType]
            yield from _strings(inner)
