"""Checks on the calls that were made: of which tool, with which arguments, how often, in which order.

A call that the tool answered with an error counts only where a check says so. Arguments are compared as JSON; a call
may have more than those that are named.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from evals.behaviours.checks.verdict import Verdict
from evals.behaviours.seen import Made, Seen

Wanted = Mapping[str, Any]


def called(
    seen: Seen,
    tool: str,
    arguments: Wanted | None = None,
    *,
    at_least: int = 1,
    at_most: int | None = None,
    errors: bool = False,
) -> Verdict:
    """The tool was called so often with these arguments; with `errors`, calls that failed count as well."""
    times = len(_fits(seen.calls, tool, arguments, errors=errors))
    good = times >= at_least and (at_most is None or times <= at_most)
    return Verdict(good, f"{_call(tool, arguments)} {times} times")


def any_of_calls(seen: Seen, tools: Sequence[str], arguments: Wanted) -> Verdict:
    """One of the tools was called with these arguments."""
    made = any(_fits(seen.calls, each, arguments, errors=False) for each in tools)
    return Verdict(made, f"{' or '.join(tools)} {'' if made else 'never '}called with {dict(arguments)}"[:300])


def last_call(seen: Seen, tool: str, arguments: Wanted) -> Verdict:
    """The last call of the tool had these arguments."""
    made = _fits(seen.calls, tool, None, errors=False)
    if not made:
        return Verdict(False, f"{tool} was not called")
    return Verdict(_has(made[-1], arguments), f"at last {_call(tool, made[-1].arguments)}")


def failing_replies(seen: Seen, tool: str, at_most: int) -> Verdict:
    """In so many replies at most did calls of the tool fail. Calls of one reply were made before any of them failed."""
    times = len({made.at for made in seen.calls if made.tool == tool and made.is_error})
    return Verdict(times <= at_most, f"calls of {tool} failed in {times} replies, {at_most} at most")


def not_called(seen: Seen, tools: Sequence[str], arguments: Wanted | None = None, after: int = 0) -> Verdict:
    """None of the tools was called with these arguments, not even in vain, after the user's word of that number."""
    start = _spoke(seen, after)
    found = [made for each in tools for made in _fits(seen.calls, each, arguments, errors=True) if made.at > start]
    if not found:
        return Verdict(True, f"no call of {', '.join(tools)}")
    return Verdict(False, f"{_call(found[0].tool, found[0].arguments)} at step {found[0].at}")


def not_invented(seen: Seen, tool: str, argument: str, values: Sequence[Any]) -> Verdict:
    """Wherever the tool was called, the argument was one of the values."""
    odd = [made for made in seen.calls if made.tool == tool and made.arguments.get(argument) not in values]
    if not odd:
        return Verdict(True, f"{argument} of {tool} is always one of {len(values)} that are right")
    return Verdict(False, f"{argument} of {tool} is {odd[0].arguments.get(argument)!r} at step {odd[0].at}")


def called_for_each(
    seen: Seen, tool: str, argument: str, values: Sequence[Any], *, once: bool = True, and_no_other: bool = False
) -> Verdict:
    """The tool was called for each value; with `once`, for none of them twice."""
    given = [made.arguments.get(argument) for made in seen.calls if made.tool == tool and not made.is_error]
    missing = [value for value in values if value not in given]
    if missing:
        return Verdict(False, f"{tool} not called for {len(missing)} of {len(values)}, such as {missing[0]!r}")
    twice = [value for value in values if given.count(value) > 1]
    if once and twice:
        return Verdict(False, f"{tool} called {given.count(twice[0])} times for {twice[0]!r}")
    others = [value for value in given if value not in values]
    if and_no_other and others:
        return Verdict(False, f"{tool} called for {others[0]!r} as well")
    return Verdict(True, f"{tool} called for all {len(values)}")


def called_in_order(seen: Seen, tool: str, argument: str, values: Sequence[Any]) -> Verdict:
    """Of the tool's calls for the values, the first ones are in this order."""
    first: dict[Any, int] = {}
    for place, made in enumerate(seen.calls):
        if made.tool == tool and not made.is_error and made.arguments.get(argument) in values:
            first.setdefault(made.arguments.get(argument), place)
    found = [value for value, _ in sorted(first.items(), key=lambda each: each[1])]
    return Verdict(found == list(values), f"{tool} in the order {', '.join(map(str, found))}"[:300])


def called_before(seen: Seen, first: Wanted, then: Wanted) -> Verdict:
    """`first` ({tool, arguments}) was called before the first call of `then`; it holds where `then` never was."""
    earlier, later = _first(seen, first), _first(seen, then)
    if later is None:
        return Verdict(True, f"{then['tool']} was not called")
    said = f"{first['tool']} {'never' if earlier is None else f'at call {earlier}'}, {then['tool']} at call {later}"
    return Verdict(earlier is not None and earlier < later, said)


def next_is(seen: Seen, word: int, tool: str, argument: str, value: Any) -> Verdict:
    """The first call of the tool after the user's word of that number has the argument so, unless one before had."""
    start = _spoke(seen, word)
    given = [(made.at, made.arguments.get(argument)) for made in seen.calls if made.tool == tool]
    if any(at <= start and each == value for at, each in given):
        return Verdict(True, f"{tool} was called for {value!r} before")
    then = [each for at, each in given if at > start]
    return Verdict(then[:1] == [value], f"{tool} next for {then[0]!r}" if then else f"no later call of {tool}")


def then_only(seen: Seen, word: int, tool: str, argument: str, value: Any, *, unless: Wanted | None = None) -> Verdict:
    """After the user's word of that number (0: the instructions) each call of the tool has the argument so."""
    start = _spoke(seen, word)
    if start == len(seen.steps):
        return Verdict(False, f"it ended before the user's word {word}")
    odd = [
        made
        for made in seen.calls
        if made.tool == tool
        and made.at > start
        and made.arguments.get(argument) != value
        and not (unless and _has(made, unless))
    ]
    if not odd:
        return Verdict(True, f"{argument} is {value!r} in every later call of {tool}")
    return Verdict(False, f"{_call(tool, odd[0].arguments)} at step {odd[0].at}, after the user had said {value!r}")


def _spoke(seen: Seen, word: int) -> int:
    """The step of the user's word of that number; after the last one where it never came."""
    spoke = seen.user_spoke_at()
    return spoke[word] if word < len(spoke) else len(seen.steps)


def _first(seen: Seen, wanted: Wanted) -> int | None:
    arguments = wanted.get("arguments")
    return next(
        (
            place
            for place, made in enumerate(seen.calls)
            if made.tool == wanted["tool"] and not made.is_error and (arguments is None or _has(made, arguments))
        ),
        None,
    )


def _fits(calls: Sequence[Made], tool: str, arguments: Wanted | None, *, errors: bool) -> list[Made]:
    return [
        made
        for made in calls
        if made.tool == tool and (errors or not made.is_error) and (arguments is None or _has(made, arguments))
    ]


def _has(made: Made, arguments: Wanted) -> bool:
    return all(made.arguments.get(name) == value for name, value in arguments.items())


def _call(tool: str, arguments: Wanted | None) -> str:
    return f"{tool}({', '.join(f'{name}={value!r}' for name, value in (arguments or {}).items())})"[:200]
