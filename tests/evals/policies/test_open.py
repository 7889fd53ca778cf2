from collections.abc import Iterator
from pathlib import Path

import pytest

from evals.policies.endpoint import EndpointPolicy
from evals.policies.open import is_recorded, open_policy
from evals.policies.policy import Unreadable
from ingest.home import Home
from ingest.jobs.samples import Sample
from models.errors import TerminalError
from models.events.checkpoint import CheckpointRegistered
from models.events.rollout import Step

ASKED = [Step(role="user", text="?")]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    yield Home.open(tmp_path)


def checkpoint(method: str = "served", path: str | None = None) -> CheckpointRegistered:
    return CheckpointRegistered(id="c", source="t", checkpoint_id="org/small", role="policy", method=method, path=path)


def said(home: Home, text: str) -> None:
    (home.path / "policies.yml").write_text(text)


def test_a_served_one_gives_its_own_completions(home: Home) -> None:
    samples = [
        Sample("a", checkpoint_id="org/small", completion="mine"),
        Sample("b", checkpoint_id="other", completion="not mine"),
    ]
    under = open_policy(home, checkpoint(), samples)
    assert is_recorded(home, checkpoint())
    assert (under.parallel, under.priced) == (1, False)
    assert under.at("a", 0).reply(ASKED, (), 1).text == "mine"
    for sample_id, trial in (("b", 0), ("a", 1)):
        with pytest.raises(Unreadable, match="has not recorded"):
            under.at(sample_id, trial).reply(ASKED, (), 1)


def test_a_file_of_answers(home: Home) -> None:
    said(home, "org/small: {answers: given.jsonl}")
    (home.path / "given.jsonl").write_text(
        '{"sample_id": "a", "text": "one", "usd": 0.5, "prompt_tokens": 3, "completion_tokens": 1}\n'
        '{"sample_id": "a", "trial": 1, "text": "two", "usd": 0.25, "truncated": true}\n'
    )
    under = open_policy(home, checkpoint())
    assert not is_recorded(home, checkpoint())
    assert under.priced
    first, second = (under.at("a", trial).reply(ASKED, (), 1) for trial in (0, 1))
    assert (first.text, first.usage[:3], first.finish) == ("one", (3, 1, 0.5), "stop")
    assert (second.text, second.finish) == ("two", "length")


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        ('{"sample_id": "a", "text": "x"}\n{"sample_id": "a", "text": "y"}\n', "line 2: a, attempt 0, was answered"),
        ('{"sample_id": "a", "text": "x"}\n{"sample_id": "b"}\n', "line 2 is no answer"),
        ("nonsense\n", "line 1 is no answer"),
    ],
    ids=["twice", "lacks", "nonsense"],
)
def test_a_bad_file_of_answers_names_the_line(home: Home, lines: str, named: str) -> None:
    said(home, "org/small: {answers: given.jsonl}")
    (home.path / "given.jsonl").write_text(lines)
    with pytest.raises(TerminalError, match=named):
        open_policy(home, checkpoint())


def test_an_endpoint_with_its_key_in_the_environment(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    said(home, "org/small: {url: http://127.0.0.1:9/v1, model: m, key_env: SMALL_KEY, parallel: 3}")
    with pytest.raises(TerminalError, match="no environment variable SMALL_KEY"):
        open_policy(home, checkpoint())
    monkeypatch.setenv("SMALL_KEY", "secret")
    under = open_policy(home, checkpoint())
    assert isinstance(under, EndpointPolicy)
    assert (under.name, under.model, under.parallel) == ("org/small", "m", 3)
    under.close()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("org/small: {url: http://x, model: m, api_key: sk-1}", "must not stand in this file"),
        ("org/small: {url: http://x}", "org/small: model: Field required"),
        ("org/small: {url: http://x, model: m, paralel: 3}", "paralel: Extra inputs"),
        ("org/small: {url: http://x, model: m, requests_per_minute: .nan}", "requests_per_minute: Input should be"),
        ("- a", "maps checkpoints to settings"),
        ("a: [", "can't be read"),
    ],
    ids=["key", "lacks", "typo", "nan", "list", "broken"],
)
def test_a_bad_file_of_settings_says_where(home: Home, text: str, named: str) -> None:
    said(home, text)
    with pytest.raises(TerminalError, match=named):
        open_policy(home, checkpoint())


@pytest.mark.parametrize(
    ("path", "named"), [(None, "doesn't say how it is asked"), ("checkpoints/c", "no config.json in")]
)
def test_what_can_not_be_asked_says_what_is_missing(home: Home, path: str | None, named: str) -> None:
    with pytest.raises(TerminalError, match=named):
        open_policy(home, checkpoint("sft", path))
