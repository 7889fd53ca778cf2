"""Rubrics: checks as data, code first; a judge only where code can't say, and never as a zero where there is none.

Strict: every check holds. Lenient: those hold that look at the outcome alone, not at the way there.
"""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, Protocol, cast

from pydantic import BaseModel, ConfigDict, Field, model_validator

from evals.behaviours.checks import CHECKS, Verdict
from evals.behaviours.checks.plain import PLAIN
from evals.behaviours.seen import Seen
from models.errors import FlywheelError, TerminalError
from models.feedback import Name

NEEDS_JUDGE = "needs_judge"
"""The check that a judge answers: `question`, and which of `yes` and `no` is `right`."""


class Check(BaseModel):
    """One check of a rubric."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Name
    """What it is called in this rubric: it says what went wrong if it doesn't hold."""
    check: Name
    """Which check of the registry."""
    args: dict[str, Any] = Field(default_factory=dict)
    outcome: bool = False
    """It looks at what came out, not at how."""

    @model_validator(mode="after")
    def _known(self) -> "Check":
        _look_up(self.check, self.args, CHECKS)
        return self


class RubricJudge(Protocol):
    """Answers a question about an episode with `yes` or `no`."""

    @property
    def judge_id(self) -> str:
        """Which judge."""
        ...

    @property
    def judge_version(self) -> str:
        """Which version of it."""
        ...

    def answer(self, question: str, text: str) -> str:
        """`yes` or `no`. Raises FlywheelError where it has none."""
        ...


class Checked(NamedTuple):
    """What came of one check."""

    name: str
    passed: bool | None
    """None: a judge was needed, and none answered."""
    said: str
    outcome: bool


class Graded(NamedTuple):
    """What came of a rubric."""

    strict: float | None
    """1 or 0; None where a judge's word is missing and code found nothing wrong."""
    lenient: float | None
    """1 or 0 over the checks of the outcome; None where a judge's word is missing among them."""
    checks: tuple[Checked, ...]
    judged: bool = False
    """A judge had a say."""

    @property
    def failed(self) -> tuple[str, ...]:
        """The names of the checks that don't hold."""
        return tuple(each.name for each in self.checks if each.passed is False)


def grade(rubric: Sequence[Check], seen: Seen, judge: RubricJudge | None = None) -> Graded:
    """Look at every check of the rubric."""
    checks = tuple(_checked(check, seen, judge) for check in rubric)
    judged = judge is not None and any(
        check.check == NEEDS_JUDGE and found.passed is not None for check, found in zip(rubric, checks, strict=True)
    )
    return Graded(_all(checks), _all([each for each in checks if each.outcome]), checks, judged)


def _checked(check: Check, seen: Seen, judge: RubricJudge | None) -> Checked:
    if check.check == NEEDS_JUDGE:
        passed, said = _judged(check.args, seen, judge)
    else:
        try:
            passed, said = CHECKS[check.check](seen, **check.args)
        except (TypeError, AttributeError, KeyError, re.error) as error:
            told = str(check.args)[:200]
            raise TerminalError(f"the check {check.check} ({check.name}) can't look with {told}: {error}") from error
    return Checked(check.name, passed, said, check.outcome)


def _judged(args: Mapping[str, Any], seen: Seen, judge: RubricJudge | None) -> tuple[bool | None, str]:
    if judge is None:
        return None, "it needs a judge, and there is none"
    try:
        answer = judge.answer(args["question"], seen.said).strip().lower()
    except FlywheelError as error:
        return None, f"judge {judge.judge_id} {judge.judge_version}: {error}"
    if answer not in ("yes", "no"):
        return None, f"judge {judge.judge_id} {judge.judge_version} answers {answer[:60]!r}, neither yes nor no"
    return answer == args.get("right", "yes"), f"judge {judge.judge_id} {judge.judge_version} says {answer}"


def _all(checks: Sequence[Checked]) -> float | None:
    if any(each.passed is False for each in checks):
        return 0.0
    return None if any(each.passed is None for each in checks) else 1.0


@cache
def _takes(check: Callable[..., Verdict]) -> tuple[tuple[str, ...], frozenset[str]]:
    """The arguments of a check, and which of them it must have."""
    _, *arguments = inspect.signature(check).parameters.values()
    needed = frozenset(each.name for each in arguments if each.default is inspect.Parameter.empty)
    return tuple(each.name for each in arguments), needed


def _look_up(name: str, args: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    """Raises TerminalError for a check that there is not, or arguments that it doesn't take."""
    if name == NEEDS_JUDGE and known is CHECKS:
        if not isinstance(args.get("question"), str) or args.get("right", "yes") not in ("yes", "no"):
            raise TerminalError(f"check {NEEDS_JUDGE} takes a question, and right: yes or no; given: {dict(args)}")
        return
    if name not in known:
        names = sorted([*known, NEEDS_JUDGE] if known is CHECKS else known)
        raise TerminalError(f"a rubric asks for the check {name!r}; known: {', '.join(names)}")
    takes, needs = _takes(known[name])
    if not needs <= args.keys() <= set(takes):
        raise TerminalError(
            f"check {name} takes {', '.join(takes)}, and must have {', '.join(sorted(needs))}; given: {', '.join(args)}"
        )
    if name in ("all_of", "any_of"):
        inner: Any = args["checks"]
        listed = cast("list[dict[str, Any]]", inner) if isinstance(inner, list) else []
        if not listed or not all("check" in each for each in listed):
            raise TerminalError(
                f"check {name} takes a list of checks, as objects with check and args; given: {inner!r}"
            )
        for each in listed:
            _look_up(each["check"], each.get("args", {}), PLAIN)
