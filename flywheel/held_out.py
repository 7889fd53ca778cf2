"""The guard of what is held out: no training set may hold something of a frozen benchmark."""

from collections.abc import Iterable, Sequence

from evals.benchmark.held import held_out
from evals.benchmark.versions import versions
from ingest.home import Home
from ingest.log import EventLog
from models.errors import HeldOutData
from models.protocols import HeldOutGuard
from text.held_out import HeldOut, Match

SHOWN = 10
"""Rows that a refusal names; it counts the others."""
MEANT = {"exact": "the same text", "near": "nearly the same text", "words": "words in a row", "canary": "its canary"}


def held_out_guard(home: Home, log: EventLog) -> HeldOutGuard:
    """Compares with every benchmark that is frozen on `log` by the time it is asked."""

    def guard(name: str, rows: Iterable[tuple[str, Sequence[str]]]) -> None:
        index = index_of(home, log)
        found = index.matches(rows) if index else []
        if found:
            raise refusal(name, found)

    return guard


def index_of(home: Home, log: EventLog) -> HeldOut | None:
    """All samples of frozen benchmarks; None where there are none. Raises TerminalError for one that was changed."""
    held = held_out(home, versions(log))
    return HeldOut(held) if held else None


def refusal(name: str, found: Sequence[Match]) -> HeldOutData:
    """The error that names the rows."""
    shown = "; ".join(f"{match.row} has {said(match)} of {match.held}" for match in found[:SHOWN])
    more = f"; and {len(found) - SHOWN} more rows" if len(found) > SHOWN else ""
    return HeldOutData(
        f"{name} is not trained on: {len(found)} of its rows hold something of a private benchmark: {shown}{more}. "
        "Take these rows out, or freeze a version of the benchmark without those samples"
    )


def said(match: Match) -> str:
    """What was found, and how much of it."""
    return f"{MEANT[match.kind]} ({match.share:.0%})"
