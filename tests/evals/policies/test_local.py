"""A tiny Llama made here, loaded and asked as any transformers checkpoint is."""

import json
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from environments.world import Offer
from evals.policies import spoken
from evals.policies.local import LocalPolicy
from evals.policies.open import Opener
from evals.policies.register import registered
from evals.policies.settings import LocalEntry
from evals.policies.tiny.lessons import Lesson, at_length, to_the_point
from evals.policies.tiny.make import make_tiny_llama
from evals.scorers.instructions import instructions
from ingest.home import Home
from models.errors import TerminalError, TransientError
from models.events.rollout import Step, ToolCall

CALL = '<tool_call>{"name": "read", "arguments": {"path": "a.txt"}}</tool_call>'
READ = Offer("read", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}})
QUESTIONS = [f"In at most 3 words: what colour is {thing}?" for thing in ("a pea", "ink", "my old hat", "rust", "ice")]


def user(text: str) -> list[Step]:
    return [Step(role="user", text=text)]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Taught to answer to the point, at length, and to call a tool."""
    base = tmp_path_factory.mktemp("tiny")
    return {
        "point": make_tiny_llama(base / "point", 1, to_the_point(), 30),
        "length": make_tiny_llama(base / "length", 1, at_length(), 40),
        "calls": make_tiny_llama(base / "calls", 1, [Lesson("Read it.", CALL, spoken.told([READ]))], 150),
    }


@pytest.fixture
def point(folders: dict[str, Path]) -> Iterator[LocalPolicy]:
    policy = LocalPolicy(folders["point"], name="point", settings=LocalEntry(max_tokens=24))
    yield policy
    policy.close()


def test_two_checkpoints_differ_on_a_simple_eval(folders: dict[str, Path]) -> None:
    scores: dict[str, float] = {}
    for name in ("point", "length"):
        policy = LocalPolicy(folders[name], name=name, settings=LocalEntry(max_tokens=40))
        replies = [policy.reply(user(question), (), 60) for question in QUESTIONS]
        found = [instructions(each, str(reply.text), {}) for each, reply in zip(QUESTIONS, replies, strict=True)]
        scores[name] = sum(score.value for score in found if score) / len(QUESTIONS)
        policy.close()
    assert scores == {"point": 1.0, "length": 0.0}


def test_it_is_small_and_the_same_each_time(folders: dict[str, Path], tmp_path: Path) -> None:
    again = make_tiny_llama(tmp_path / "again", 1, to_the_point(), 30)
    files = sorted(path.name for path in again.iterdir())
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= set(files)
    assert sum((again / name).stat().st_size for name in files) < 1_000_000
    assert [(again / name).read_bytes() for name in files] == [(folders["point"] / name).read_bytes() for name in files]


def test_an_answer_does_not_depend_on_what_stands_in_the_batch(point: LocalPolicy) -> None:
    alone = [point.reply(user(question), (), 60) for question in QUESTIONS]
    with ThreadPoolExecutor(5) as pool:
        asked = [pool.submit(point.reply, user(question), (), 60) for question in QUESTIONS]
        together = [each.result() for each in asked]
    assert [reply.text for reply in together] == [reply.text for reply in alone]
    assert [reply.usage[:2] for reply in together] == [reply.usage[:2] for reply in alone]


def test_sampling_is_seeded_by_sample_and_trial(folders: dict[str, Path]) -> None:
    policy = LocalPolicy(folders["length"], name="length", settings=LocalEntry(max_tokens=12, temperature=1.5))
    drawn = [policy.at("s1", trial).reply(user("Hello"), (), 60).text for trial in range(4)]
    assert policy.at("s1", 2).reply(user("Hello"), (), 60).text == drawn[2]
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(policy.at("s1", trial).reply, user("Hello"), (), 60) for trial in range(4)]
        assert [each.result().text for each in asked] == drawn
    assert len(set(drawn)) > 1
    policy.close()


def test_a_reply_that_is_cut_off_says_so(folders: dict[str, Path]) -> None:
    policy = LocalPolicy(folders["length"], name="length", settings=LocalEntry(max_tokens=3))
    reply = policy.reply(user("What colour is snow?"), (), 60)
    assert (reply.finish, reply.usage.completion_tokens) == ("length", 3)
    policy.close()


def test_calls_are_read_from_text_and_shown_again(folders: dict[str, Path]) -> None:
    policy = LocalPolicy(folders["calls"], name="calls", settings=LocalEntry(max_tokens=90))
    reply = policy.reply(user("Read it."), (READ,), 60)
    assert reply.text is None
    assert [(call.tool, json.loads(call.arguments)) for call in reply.calls] == [("read", {"path": "a.txt"})]
    steps = [
        *user("Read it."),
        Step(role="assistant", calls=reply.calls),
        Step(role="tool", tool="read", call_id=reply.calls[0].call_id, text="one"),
    ]
    assert policy.reply(steps, (READ,), 60).usage.prompt_tokens > (reply.usage.prompt_tokens or 0)  # type: ignore[operator]
    assert policy.reply(user("Read it."), (), 60).calls == ()
    policy.close()


def test_who_waits_no_more_keeps_nobody_waiting(folders: dict[str, Path]) -> None:
    policy = LocalPolicy(folders["length"], name="length", settings=LocalEntry(max_tokens=1800, parallel=1))
    began = time.monotonic()
    for _ in range(5):
        with pytest.raises(TransientError, match="gives no reply in"):
            policy.reply(user("ice " * 40), (), 0.02)
    assert policy.reply(user(QUESTIONS[0]), (), 60).text
    assert time.monotonic() - began < 10
    policy.close()


def test_the_last_one_stays_loaded(folders: dict[str, Path], tmp_path: Path) -> None:
    home = Home.open(tmp_path / "home")
    opener = Opener(home)
    small, large = (registered(home, name, folders[name]) for name in ("point", "length"))
    first = opener.open(small, ())
    first.close()
    again = opener.open(small, ())
    assert again.at == first.at
    assert again.at("s", 0).reply(user(QUESTIONS[0]), (), 60).text
    assert opener.open(large, ()).at != first.at
    with pytest.raises(TransientError, match="closed"):
        first.at("s", 0).reply(user(QUESTIONS[0]), (), 60)
    opener.open(registered(home, "point", folders["point"], parents=("x",)), ()).close()


def test_too_long_a_conversation_is_refused(point: LocalPolicy) -> None:
    with pytest.raises(TerminalError, match="takes 2048 tokens"):
        point.reply(user("colour " * 3000), (), 60)


def test_without_a_template_it_is_asked_plainly(folders: dict[str, Path], tmp_path: Path) -> None:
    folder = shutil.copytree(folders["point"], tmp_path / "plain")
    (folder / "chat_template.jinja").unlink()
    policy = LocalPolicy(folder, name="plain", settings=LocalEntry(max_tokens=4))
    call = ToolCall(tool="read", arguments="{broken", call_id="c")
    steps = [*user("Hi"), Step(role="assistant", calls=(call,)), Step(role="tool", tool="read", text="no")]
    assert policy.reply(steps, (READ,), 60).usage.completion_tokens in range(5)
    policy.close()
    with pytest.raises(TransientError, match="closed"):
        policy.reply(steps, (), 60)


def test_a_folder_that_is_none_says_so(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(TerminalError, match="can't be loaded"):
        LocalPolicy(tmp_path, name="broken")
