"""Policies that are asked a private benchmark anew: over HTTP, by prompts of one's own and by behaviours."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from evals.behaviours.generate import generate
from evals.behaviours.registry import behaviour
from evals.benchmark.versions import find
from flywheel.cli import cli
from ingest.home import Home
from ingest.jobs.board import Board
from ingest.jobs.samples import read_samples
from ingest.log import open_log, publish
from models.errors import TerminalError
from models.events.checkpoint import CheckpointRegistered
from tests.evals.answering import answering, said


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = Home.open(tmp_path / "home")
    with answering(lambda _: said("Short.")) as brief, answering(lambda _: said("word " * 60)) as wordy:
        asked = {"brief": brief.url, "wordy": wordy.url}
        (home.path / "policies.yml").write_text(
            json.dumps({name: {"url": url, "model": name} for name, url in asked.items()})
        )
        with open_log(None, home.path) as log:
            publish(
                log,
                [
                    CheckpointRegistered(id=name, source="t", checkpoint_id=name, role="policy", method="external")
                    for name in asked
                ],
            )
        yield home


def bench(home: Home, *arguments: str) -> str:
    result = CliRunner().invoke(cli, ["bench", *arguments, "--home", str(home.path)])
    if isinstance(result.exception, TerminalError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def test_prompts_of_ones_own_are_asked_and_what_is_better_is_told_in_one_bit(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "ours.jsonl"
    rows = [
        {"prompt": f"Say in a word what part {number} of our release does.", "cluster": number} for number in range(12)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    bench(home, "create", "brevity", "--scorer", "concise", "--arg", "words=20")
    bench(home, "add", "brevity", "--file", str(file))
    bench(home, "freeze", "brevity")
    assert "brief is better than wordy" in bench(home, "run", "brevity", "--checkpoint", "brief", "--against", "wordy")
    assert "wordy is not shown to be better than brief" in bench(
        home, "run", "brevity", "--checkpoint", "wordy", "--against", "brief"
    )
    assert "wordy: about 0% on 12 samples" in bench(home, "run", "brevity", "--checkpoint", "wordy", "--parallel", "4")
    with open_log(None, home.path) as log:
        assert [(use.purpose, use.better) for use in find(log, "brevity").uses] == [
            ("decision", True), ("decision", False), ("look", None)
        ]  # fmt: skip
        board = Board(log)
        board.refresh()
        assert all(job.status == "completed" for job in board.jobs.values())


def test_samples_of_a_behaviour_are_a_benchmark_as_they_are_written(home: Home, tmp_path: Path) -> None:
    made = generate(behaviour("interruption"), "held-out", 6, None)
    file = tmp_path / "interruption.jsonl"
    file.write_text("".join(f"{sample.model_dump_json()}\n" for sample in made))
    bench(home, "create", "acts")
    assert "6 samples added" in bench(home, "add", "acts", "--file", str(file))
    bench(home, "freeze", "acts")
    with open_log(None, home.path) as log:
        version = find(log, "acts")
        board = Board(log)
        board.refresh()
        spec: Any = board.specs[str(version.frozen.spec_id)].spec
    assert (spec.scorer.name, spec.role) == ("behaviour", "policy")
    assert version.frozen.clusters == len({sample.cluster for sample in made})
    held = read_samples(home, spec.data)
    assert sorted(str(each.episode) for each in held) == sorted(sample.model_dump_json() for sample in made)
    assert "brief: about 0% on 6 samples" in bench(home, "run", "acts", "--checkpoint", "brief")
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"behaviour": "interruption", "instructions": "x"}\n')
    with pytest.raises(TerminalError, match="a sample of a behaviour can't be read"):
        bench(home, "add", "acts", "--file", str(broken))
