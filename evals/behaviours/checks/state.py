"""Checks on the state of the other parts of a world. A path has dots: `incident.config.cache.size`."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from evals.behaviours.checks.verdict import Verdict
from evals.behaviours.checks.words import holds
from evals.behaviours.seen import Seen


def state_is(seen: Seen, path: str, value: Any) -> Verdict:
    """What stands at the path at the end is this."""
    found = _at(seen.state, path)
    return Verdict(found == value, f"{path} is {found!r}"[:200] + ("" if found == value else f", not {value!r}"[:200]))


def text_says(seen: Seen, path: str, texts: Sequence[str]) -> Verdict:
    """What stands at the path is a text that says each of these, as `words.said` finds them."""
    found = _at(seen.state, path)
    if not isinstance(found, str):
        return Verdict(False, f"{path} is no text")
    missing = [each for each in texts if not holds(found, each)]
    return Verdict(not missing, f"{path} doesn't say {missing[0]!r}" if missing else f"{path} says all {len(texts)}")


def state_untouched(seen: Seen, path: str, but: Sequence[str] = ()) -> Verdict:
    """What stands below the path is as it was, but for these names in it."""
    before, after = _at(seen.before, path), _at(seen.state, path)
    if not (isinstance(before, dict) and isinstance(after, dict)):
        return Verdict(before == after, f"{path} {'is as it was' if before == after else f'is {after!r}'[:200]}")
    old, new = cast("dict[str, Any]", before), cast("dict[str, Any]", after)
    odd = [name for name in sorted({*old, *new} - set(but)) if old.get(name) != new.get(name)]
    return Verdict(not odd, f"{path}.{odd[0]} is {new.get(odd[0])!r}"[:200] if odd else f"{path} is as it was")


def _at(state: Mapping[str, Any], path: str) -> Any:
    found: Any = state
    for name in path.split("."):
        if not isinstance(found, Mapping):
            return None
        found = cast("Mapping[str, Any]", found).get(name)
    return found
