"""The door: what is scored, what is a fault and never a zero, and what an episode took."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from environments.world import Offer
from evals.agents.scripted import Scripted, call, say
from evals.behaviours.episode import EpisodeResult, run_episode
from evals.behaviours.generate import generate
from evals.behaviours.registry import BEHAVIOURS
from evals.behaviours.solving import Solver
from evals.grader.grade import Tripwire
from evals.policies.policy import Policy, Refused, Reply, Usage
from models.errors import TerminalError, TransientError
from models.events.rollout import Step

WRITE = call("write_file", path="a.txt", text="red")
RED = {"name": "red", "check": "file_is", "args": {"path": "a.txt", "text": "red"}, "outcome": True}
POLITE = {"name": "polite", "check": "said", "args": {"texts": ["please"]}}
TONE = {"name": "tone", "check": "needs_judge", "args": {"question": "Is it curt?", "right": "no"}}


def sample(*rubric: dict[str, Any], **more: Any) -> str:
    told: dict[str, Any] = {
        "behaviour": "painting", "cluster": "painting/shop", "difficulty": 0.5, "instructions": "Paint it.",
        "world": {"files": {"a.txt": "blue"}}, "rubric": rubric, **more,
    }  # fmt: skip
    return json.dumps(told)


def run(text: str, *replies: Reply, judge: Any = None) -> EpisodeResult:
    return run_episode(text, Scripted(replies), 30.0, judge)


class Breaks:
    """A policy that raises."""

    name = "breaks"

    def __init__(self, error: Exception) -> None:
        self._error = error

    def reply(self, steps: Sequence[Step], tools: Sequence[Offer], seconds: float) -> Reply:
        del steps, tools, seconds
        raise self._error


class Says:
    """A judge with one answer."""

    judge_id, judge_version = "judge-1", "7"

    def __init__(self, told: str | None) -> None:
        self._told = told

    def answer(self, question: str, text: str) -> str:
        assert (question, text) == ("Is it curt?", "There you are, please.")
        if self._told is None:
            raise TransientError("asleep")
        return self._told


def test_strict_wants_every_check_and_lenient_the_outcome() -> None:
    text = sample(RED, POLITE)
    both, outcome, none = (
        run(text, WRITE, say("There you are, please.")), run(text, WRITE, say("There.")), run(text, say("please"))
    )  # fmt: skip
    assert (both.strict, both.lenient, both.explanation) == (1.0, 1.0, "all 2 checks hold")
    assert (outcome.strict, outcome.lenient) == (0.0, 1.0)
    assert outcome.explanation == "polite: 'please' is not in the last words"
    assert (none.strict, none.lenient, none.fault) == (0.0, 0.0, None)
    assert [(each.name, each.passed) for each in none.checks] == [("red", False), ("polite", True)]
    assert both.cluster == "painting/shop"


def test_a_judge_that_is_missing_or_odd_is_a_fault_and_never_a_zero() -> None:
    text, replies = sample(RED, TONE), (WRITE, say("There you are, please."))
    for judge in (None, Says("maybe"), Says(None)):
        found = run(text, *replies, judge=judge)
        assert (found.strict, found.lenient, found.fault) == (None, None, "judge")
        assert found.judge_id is None
    assert "answers 'maybe', neither yes nor no" in run(text, *replies, judge=Says("maybe")).explanation
    good, bad = run(text, *replies, judge=Says(" No ")), run(text, *replies, judge=Says("yes"))
    assert (good.strict, good.fault, good.judge_id, good.judge_version) == (1.0, None, "judge-1", "7")
    assert (bad.strict, bad.lenient) == (0.0, 1.0)


def test_what_code_found_wrong_needs_no_judge() -> None:
    found = run(sample(RED, TONE), say("There you are, please."))
    assert (found.strict, found.lenient, found.fault) == (0.0, 0.0, None)


@pytest.mark.parametrize(
    ("policy", "fault"),
    [
        (Breaks(TransientError("no answer after 5 tries")), "infrastructure"),
        (Breaks(TerminalError("HTTP 401")), "refused"),
    ],
    ids=["no answer", "refuses"],
)
def test_what_the_policy_did_not_do_is_a_fault(policy: Policy, fault: str) -> None:
    found = run_episode(sample(RED), policy, 30.0)
    assert (found.strict, found.lenient, found.fault, found.checks) == (None, None, fault, ())
    assert found.explanation in ("no answer after 5 tries", "HTTP 401")


def test_a_reply_that_must_not_be_used_is_a_zero_with_its_evidence() -> None:
    wire = Tripwire(name="provider_search", severity="cheat", where="step 1", evidence="web")
    found = run_episode(sample(RED), Breaks(Refused("the provider searched", wire)), 30.0)
    assert (found.strict, found.fault, found.ended.evidence) == (0.0, None, (wire,))


def test_time_that_ran_out_is_a_fault_and_steps_that_ran_out_are_not() -> None:
    late = run_episode(sample(RED), Scripted([WRITE]), 0.0000001)
    assert (late.strict, late.fault) == (None, "infrastructure")
    slow = run(sample(RED, POLITE, steps=2), call("list_files"), WRITE, say("please"))
    assert (slow.strict, slow.lenient, slow.fault) == (0.0, 1.0, None)
    assert slow.explanation.startswith("ended by steps; polite")


def test_a_world_that_breaks_is_a_fault() -> None:
    bring = {"kind": "bring", "tool": "x", "description": "", "command": ["x"]}
    text = sample(RED, script={"cues": [{"on_tool": "list_files", "do": bring}]})
    found = run(text, call("list_files"), WRITE)
    assert (found.strict, found.fault) == (None, "infrastructure")
    assert "no dormant tool" in found.explanation


def test_usage_is_summed_and_unknown_is_not_zero() -> None:
    replies = (
        WRITE._replace(usage=Usage(100, 10, 0.25)), Reply("There.", usage=Usage(120, None, None), finish="length")
    )  # fmt: skip
    found = run(sample(RED), *replies)
    assert (found.usage, found.truncated, found.strict) == (Usage(220, 10, 0.25), True, 1.0)
    assert run(sample(RED), WRITE).usage == Usage(None, None, None)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "can't be read: the whole"),
        ("[]", "can't be read"),
        (sample(RED, colour="red"), "can't be read: colour"),
        (sample(RED | {"check": "file_iz"}), "asks for the check 'file_iz'; known: all_of, any_of, .*needs_judge"),
        (sample(RED | {"args": {"path": "a.txt"}}), "check file_is takes path, text, and must have path, text"),
        (sample(RED | {"args": {"path": "a", "text": "b", "tone": "c"}}), "check file_is takes path, text"),
        (sample(TONE | {"args": {"question": "Curt?", "right": "perhaps"}}), "takes a question, and right: yes or no"),
        (sample({"name": "x", "check": "all_of", "args": {"checks": [{"check": "all_of"}]}}), "the check 'all_of'"),
        (sample({"name": "x", "check": "any_of", "args": {"checks": "said"}}), "any_of takes a list of checks"),
        (sample(RED | {"args": {"path": ["a"], "text": "b"}}), "the check file_is .red. can't look with"),
        (sample(RED, world={"moon": {}}), "names the part 'moon'"),
        (sample(RED, script={"cues": [{"do": {"kind": "say", "text": "x"}}]}), "one of at_step and on_tool"),
    ],
    ids=[
        "broken",
        "list",
        "extra",
        "check",
        "lacking",
        "more",
        "judge",
        "nested",
        "no list",
        "wrong kind",
        "world",
        "script",
    ],
)
def test_a_sample_that_is_none_is_told(text: str, told: str) -> None:
    with pytest.raises(TerminalError, match=told):
        run(text, WRITE)


def test_one_solver_plays_many_samples_at_once() -> None:
    behaviour = BEHAVIOURS["asks_or_honours"]
    solver = Solver("passing", behaviour.passing)
    texts = [each.model_dump_json() for each in generate(behaviour, "threads", 24)]
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(run_episode, texts, [solver] * 24, [60.0] * 24))
    assert [each.strict for each in found] == [1.0] * 24


def test_broken_arguments_and_unknown_tools_are_told_to_the_model_and_the_episode_goes_on() -> None:
    broken = Reply(None, (WRITE.calls[0].model_copy(update={"arguments": "{path: "}),))
    found = run(sample(RED), broken, call("paint"), call("write_file", path=7, text="red"), WRITE, say("There."))
    assert found.strict == 1.0
    errors = [step.text or "" for step in found.ended.steps if step.is_error]
    assert [text.split(":")[0].split("(")[0].strip() for text in errors] == [
        "the arguments are no JSON", "there is no tool 'paint'; there are", "path must be a text, not 7",
    ]  # fmt: skip
