"""A tool fails with the same error twice or more, and no call of that tool succeeds in between.

Errors are the same if their line is, whatever the numbers in it. One failure is no finding: trying is how an agent
learns what a tool wants.
"""

import re
from itertools import groupby

from ingest.reports.episode import Episode, Exchange, Finding, exchanges, listed, quote
from ingest.reports.rule import Rule

AT_LEAST = 2


def look(episode: Episode) -> list[Finding]:
    """One finding for each run of the same failure."""
    by_tool: dict[str, list[Exchange]] = {}
    for exchange in exchanges(episode):
        by_tool.setdefault(exchange.call.tool, []).append(exchange)
    found: list[Finding] = []
    for tool, calls in by_tool.items():
        for error, run in groupby(calls, key=_signature):
            failed = list(run)
            if error is not None and len(failed) >= AT_LEAST:
                steps = tuple(sorted({exchange.step for exchange in failed}))
                said = quote(failed[-1].error or "")
                found.append(
                    Finding(steps, f"The tool {tool} failed {len(failed)} times the same way ({listed(steps)}): {said}")
                )
    return sorted(found)


def _signature(exchange: Exchange) -> str | None:
    return None if exchange.error is None else re.sub(r"[\d,.]*\d", "#", exchange.error).casefold()


RULE = Rule(
    name="repeated_tool_error",
    version=1,
    description="A tool failed the same way twice or more, with no success of that tool in between.",
    needs="tool calls with their answers",
    kinds=frozenset({"rollout"}),
    look=look,
)
