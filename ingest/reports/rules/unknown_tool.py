"""A call to a tool that is not there: not among the rollout's tools, or its answer says so.

A tool that is not listed but answered, and says itself that this was no error, was there: the list is what is wrong.
"""

from ingest.reports.episode import Episode, Exchange, Finding, exchanges, quote
from ingest.reports.rule import Rule
from text import cues


def look(episode: Episode) -> list[Finding]:
    """One finding for each such tool, at all steps that called it."""
    calls: dict[str, list[tuple[Exchange, str]]] = {}
    for exchange in exchanges(episode):
        if (why := _why(exchange, episode.tools)) is not None:
            calls.setdefault(exchange.call.tool, []).append((exchange, why))
    found: list[Finding] = []
    for tool, made in calls.items():
        steps = tuple(sorted({exchange.step for exchange, _ in made}))
        times = "" if len(made) == 1 else f" {len(made)} times"
        found.append(Finding(steps, f"Called {tool}{times}, which is not there: {made[0][1]}"))
    return sorted(found)


def _why(exchange: Exchange, tools: tuple[str, ...] | None) -> str | None:
    if exchange.is_error is False:
        return None
    if exchange.text is not None and (said := cues.unknown_tool(exchange.text, exchange.call.tool)) is not None:
        return f"the answer is {quote(said)}"
    if tools is not None and exchange.call.tool not in tools:
        return f"the tools are {quote(', '.join(sorted(tools)))}"
    return None


RULE = Rule(
    name="unknown_tool",
    version=1,
    description="A call to a tool, or a command, that is not there.",
    needs="tool calls, with the list of tools or with answers",
    kinds=frozenset({"rollout"}),
    look=look,
)
