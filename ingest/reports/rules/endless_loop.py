"""The same again and again with nothing new: calls with the same answers, or the same words.

A cycle of up to three calls counts once it has come round three times with the same arguments and the same answers. A
call whose answer changes is a look at something that moves, not a loop.
"""

from collections.abc import Callable, Hashable, Sequence

from ingest.reports.episode import Episode, Exchange, Finding, exchanges, listed, quote
from ingest.reports.rule import Rule
from text.normal_form import normal_form

ROUNDS = 3
LONGEST_CYCLE = 3
SHORTEST_WORDS = 30
"""Characters: "Yes." three times is no loop."""


def look(episode: Episode) -> list[Finding]:
    """One finding for each loop of calls and each of words, as long as it lasts."""
    calls = exchanges(episode)
    found: list[Finding] = []
    for start, length, cycle in _cycles([_call(exchange) for exchange in calls]):
        rounds = length // cycle
        steps = tuple(sorted({exchange.step for exchange in calls[start : start + length]}))
        tools = ", ".join(exchange.call.tool for exchange in calls[start : start + cycle])
        said = quote(calls[start].text or "")
        found.append(
            Finding(
                steps, f"Called {tools} {rounds} times with the same arguments and answers ({listed(steps)}): {said}"
            )
        )
    spoken = [place for place, step in enumerate(episode.steps) if step.role == "assistant" and not step.calls]
    for start, length, cycle in _cycles([_words(episode.steps[place].text) for place in spoken], longest=1):
        steps = tuple(spoken[start : start + length])
        said = quote(episode.steps[steps[0]].text or "")
        found.append(Finding(steps, f"Said the same {length // cycle} times ({listed(steps)}): {said}"))
    return sorted(found)


def _call(exchange: Exchange) -> Hashable | None:
    """What must be equal; None for a call without an answer, which never is."""
    if exchange.text is None:
        return None
    return exchange.call.tool, exchange.call.arguments.strip(), exchange.text.strip()


def _words(text: str | None) -> Hashable | None:
    return normal_form(text) if text is not None and len(text) >= SHORTEST_WORDS else None


def _cycles(keys: Sequence[Hashable | None], longest: int = LONGEST_CYCLE) -> list[tuple[int, int, int]]:
    """(start, length, cycle) of each repetition, the shortest cycle first; none overlaps another."""
    found: list[tuple[int, int, int]] = []
    start = 0
    while start < len(keys):
        best = next(filter(None, map(_repeats(keys, start), range(1, longest + 1))), None)
        if best is None:
            start += 1
        else:
            found.append((start, *best))
            start += best[0]
    return found


def _repeats(keys: Sequence[Hashable | None], start: int) -> Callable[[int], tuple[int, int] | None]:
    def repeats(cycle: int) -> tuple[int, int] | None:
        end = start + cycle
        while end < len(keys) and keys[end] is not None and keys[end] == keys[end - cycle]:
            end += 1
        length = (end - start) // cycle * cycle
        return (length, cycle) if length >= ROUNDS * cycle else None

    return repeats


RULE = Rule(
    name="endless_loop",
    version=1,
    description="The same calls with the same answers, or the same words, three times or more in a row.",
    needs="tool calls with their answers, or what the model said",
    kinds=frozenset({"rollout"}),
    look=look,
)
