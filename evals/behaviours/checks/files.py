"""Checks on the files of the world, as they stand at the end."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from evals.behaviours.checks.verdict import Verdict
from evals.behaviours.seen import Seen


def file_is(seen: Seen, path: str, text: str) -> Verdict:
    """The file holds exactly this text; white space at its end doesn't count."""
    content = _files(seen.state).get(path)
    if content is None:
        return Verdict(False, f"there is no {path}")
    if content.rstrip() == text.rstrip():
        return Verdict(True, f"{path} is as it should be")
    wanted, found = text.rstrip().splitlines(), content.rstrip().splitlines()
    for number, line in enumerate(wanted):
        if number >= len(found) or found[number] != line:
            got = repr(found[number]) if number < len(found) else "missing"
            return Verdict(False, f"{path}, line {number + 1}: {got}, not {line!r}"[:300])
    return Verdict(False, f"{path} has {len(found) - len(wanted)} lines too many")


def file_has(seen: Seen, path: str, texts: Sequence[str]) -> Verdict:
    """The file holds each of the texts."""
    content = _files(seen.state).get(path)
    if content is None:
        return Verdict(False, f"there is no {path}")
    missing = [each for each in texts if each not in content]
    return Verdict(not missing, f"{path} lacks {missing[0]!r}" if missing else f"{path} holds all {len(texts)}")


def file_lacks(seen: Seen, path: str, texts: Sequence[str]) -> Verdict:
    """The file is there, and holds none of the texts, in any case."""
    content = _files(seen.state).get(path)
    if content is None:
        return Verdict(False, f"there is no {path}")
    found = [each for each in texts if each.lower() in content.lower()]
    return Verdict(not found, f"{path} holds {found[0]!r}" if found else f"{path} holds none of {len(texts)}")


def file_lines(
    seen: Seen, path: str, first: str | None = None, last: str | None = None, in_order: Sequence[str] = ()
) -> Verdict:
    """The file's first and last lines are these, and lines that hold `in_order` stand in that order."""
    content = _files(seen.state).get(path)
    if content is None:
        return Verdict(False, f"there is no {path}")
    lines = [line.rstrip() for line in content.strip().splitlines()]
    if first is not None and (not lines or lines[0] != first):
        return Verdict(False, f"{path} begins with {lines[0] if lines else ''!r}, not {first!r}"[:300])
    if last is not None and (not lines or lines[-1] != last):
        return Verdict(False, f"{path} ends with {lines[-1] if lines else ''!r}, not {last!r}"[:300])
    places = [next((n for n, line in enumerate(lines) if each in line), -1) for each in in_order]
    if -1 in places:
        return Verdict(False, f"{path} has no line with {in_order[places.index(-1)]!r}")
    return Verdict(places == sorted(places), f"{path} is {'' if places == sorted(places) else 'not '}in order")


def lines_untouched(seen: Seen, path: str, but: Sequence[str] = ()) -> Verdict:
    """The file's lines that begin with none of `but` are what they were."""
    before, after = _files(seen.before).get(path, ""), _files(seen.state).get(path, "")
    old, new = ([line for line in each.splitlines() if not line.startswith(tuple(but))] for each in (before, after))
    odd = next((line for line in (*new, *old) if (line in new) != (line in old)), None)
    if odd is not None:
        return Verdict(False, f"{path}: the line {odd!r} was {'added' if odd in new else 'taken out'}"[:300])
    return Verdict(old == new, f"{path}: the other lines are {'what they were' if old == new else 'moved'}")


def lines_among(seen: Seen, path: str, lines: Sequence[str]) -> Verdict:
    """The file is there, and every line in it is one of these; it needn't have them all."""
    content = _files(seen.state).get(path)
    if content is None:
        return Verdict(False, f"there is no {path}")
    odd = [line for line in content.splitlines() if line.strip() and line.strip() not in lines]
    return Verdict(not odd, f"{path} says {odd[0]!r}"[:300] if odd else f"{path} says nothing that is not so")


def files_untouched(seen: Seen, but: Sequence[str] = ()) -> Verdict:
    """No file was changed, made or deleted but these."""
    before, after = _files(seen.before), _files(seen.state)
    odd = [path for path in sorted({*before, *after} - set(but)) if before.get(path) != after.get(path)]
    return Verdict(not odd, f"{odd[0]} was touched" if odd else "no other file was touched")


def _files(state: Mapping[str, Any]) -> dict[str, str]:
    return cast("dict[str, str]", state.get("files", {}))
