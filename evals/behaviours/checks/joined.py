"""Checks made of plain ones: `[{"check": name, "args": {...}}, ...]`. Left out: joined ones in them."""

from collections.abc import Sequence
from typing import Any

from evals.behaviours.checks.plain import PLAIN
from evals.behaviours.checks.verdict import Verdict
from evals.behaviours.seen import Seen


def all_of(seen: Seen, checks: Sequence[dict[str, Any]]) -> Verdict:
    """Every one holds; what is said is of the first that doesn't."""
    found = [_look(seen, each) for each in checks]
    broken = [verdict for verdict in found if not verdict.passed]
    if not broken:
        return Verdict(True, f"all {len(found)} hold")
    return Verdict(False, f"{broken[0].said} ({len(found) - len(broken)} of {len(found)} hold)")


def any_of(seen: Seen, checks: Sequence[dict[str, Any]]) -> Verdict:
    """At least one holds."""
    found = [_look(seen, each) for each in checks]
    good = [verdict for verdict in found if verdict.passed]
    return good[0] if good else Verdict(False, "; ".join(verdict.said for verdict in found)[:300])


def _look(seen: Seen, check: dict[str, Any]) -> Verdict:
    return PLAIN[check["check"]](seen, **check.get("args", {}))
