from pathlib import Path

import yaml

from evals.behaviours.episode import play
from evals.behaviours.generate import generate
from evals.behaviours.registry import BEHAVIOURS
from evals.policies.open import open_policy
from evals.policies.settings import FILE
from flywheel.demo.assistants import KNOWN, SKILLS, assistants
from ingest.home import Home


def test_the_demos_assistants_are_asked_over_http_and_differ_as_they_say(tmp_path: Path) -> None:
    home = Home.open(tmp_path / "home")
    (home.path / FILE).write_text("mine: {url: http://127.0.0.1:1/v1, model: m}\n")
    samples = generate(KNOWN, "assistants", 16)
    passed: dict[str, float] = {}
    with assistants(home) as registered:
        assert {each.checkpoint_id for each in registered} == SKILLS.keys()
        for each in registered:
            under = open_policy(home, each)
            results = [play(sample, under.at(sample.sample_id, 0), 60.0) for sample in samples]
            under.close()
            assert all(result.fault is None for result in results)
            passed[each.checkpoint_id] = sum(result.strict or 0.0 for result in results) / len(results)
    assert passed["assistant-d"] > max(passed["assistant-c"], passed["assistant-e"]) + 0.2
    assert "mine" in yaml.safe_load((home.path / FILE).read_text()), "what a user had said of his own stays"


def test_they_say_of_all_else_that_they_cannot(tmp_path: Path) -> None:
    home = Home.open(tmp_path / "home")
    [sample] = generate(BEHAVIOURS["interruption"], "assistants", 1)
    with assistants(home) as registered:
        under = open_policy(home, registered[0])
        result = play(sample, under.at(sample.sample_id, 0), 60.0)
        under.close()
    assert result.strict == 0.0 and result.ended.steps[-1].text == "That is nothing that I can do."
