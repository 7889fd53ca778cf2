"""`flywheel modes label` on the sample: the least sure texts are asked about, each once, and an answer is an event."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from flywheel.cli import cli
from flywheel.shown import visible
from ingest.log import open_log
from models.errors import FlywheelError
from models.events.taxonomy import TextLabelled
from text.near_duplicates import NEAR_DUPLICATE_BANDS, band_hashes
from transforms.taxonomy.labelling import questions
from transforms.taxonomy.told import Told, told

Run = Callable[..., str]


@pytest.fixture
def run(sampled: Any) -> Run:
    def run(*arguments: str, given: str | None = None) -> str:
        result = CliRunner().invoke(cli, ["modes", "label", *arguments, "--home", str(sampled.home.path)], input=given)
        if isinstance(result.exception, FlywheelError):
            return f"refused: {result.exception}"
        assert result.exit_code == 0, result.output
        return result.output

    return run


@pytest.fixture
def said(sampled: Any) -> Iterator[Callable[[], Told]]:
    with open_log(None, sampled.home.path) as log:
        yield lambda: told(log)


def modes_of(said: Told, person: str) -> list[tuple[str, ...]]:
    return [label.modes for (_, by), label in said.labels.items() if by == person]


def test_the_least_sure_come_first_and_no_complaint_twice(sampled: Any) -> None:
    asked = questions(sampled.home, [], 40)
    assert len(asked) == 40
    edge = sampled.one("select min(confidence) from int_text_assignments where not abstained and mode_id = top_mode")
    far = sampled.ask(
        "select text_hash from int_text_assignments where not abstained order by confidence desc, text_hash limit 20"
    )
    assert {text for (text,) in far}.isdisjoint(each.text_hash for each in asked)
    assert min(abs(each.guesses[0][1] - edge) for each in asked) < 0.1
    bands = band_hashes([each.text for each in asked])
    alike = [(bands[one] == bands[other]).sum() for one in range(40) for other in range(one)]
    assert max(alike) < NEAR_DUPLICATE_BANDS
    first = asked[0]
    assert first.text_hash not in {each.text_hash for each in questions(sampled.home, [first.text_hash], 40)}
    only = questions(sampled.home, [], 500, ["refusals"])
    assert only
    assert all("refusals" in dict(each.guesses) for each in only if len(each.guesses) == 1)
    assert questions(sampled.home, [], 40) == asked


def test_each_answer_is_one_event_at_once_and_can_be_taken_back(run: Run, said: Callable[[], Told]) -> None:
    before = len(said().labels)
    shown = run(
        "--batch", "6", "--by", "ann", given="1\nn\n?\ns\nnonsense\n99\nrefusals, communication\np\nu\n2 3\nq\n"
    )
    assert "5 of 6" in shown
    assert "there is no failure mode 'nonsense'" in shown
    assert "no mode with the number 99" in shown
    assert "4 of 6 labelled by ann" in shown
    labels = said()
    assert len(labels.labels) == before + 4
    first, none, several, numbered = modes_of(labels, "ann")
    assert (len(first), none, several, len(numbered)) == (1, (), ("communication", "refusals"), 2)
    again = run("--batch", "3", "--by", "bob", given="u\np\n")
    assert "there is no answer to take back" in again
    assert modes_of(said(), "bob") == [("praise",)]
    asked = [text for text, by in said().labels if by == "bob"]
    assert set(asked).isdisjoint(text for text, by in labels.labels if by == "ann")


def test_a_second_opinion_is_asked_of_another_person_only(run: Run, said: Callable[[], Told]) -> None:
    run("--batch", "1", "--by", "eve", given="n\n")
    run("--batch", "100", "--by", "dan", "--again", given="1\n" * 100)
    by = {person: {text for text, who in said().labels if who == person} for person in ("eve", "dan")}
    assert by["eve"]
    assert by["eve"] <= by["dan"]


def test_labels_come_from_a_file_once(run: Run, said: Callable[[], Told], sampled: Any, tmp_path: Path) -> None:
    keys = [
        key
        for (key,) in sampled.ask(
            "select min(event_key) from fct_feedback where is_current and text_hash is not null "
            "group by text_hash order by 1 limit 3"
        )
    ]
    file = tmp_path / "labels.csv"
    file.write_text(
        "event_key,modes,labelled_by\n"
        f"{keys[0]},refusals; Communication,\n{keys[1]},none,cleo\n{keys[2]},praise,cleo\n{keys[2]},tool_use,cleo\n"
    )
    assert "3 labels" in run("--from", str(file), "--by", "fay")
    assert modes_of(said(), "fay") == [("communication", "refusals")]
    assert sorted(modes_of(said(), "cleo")) == [(), ("tool_use",)]
    assert "known already" in run("--from", str(file), "--by", "fay")
    assert all(isinstance(label, TextLabelled) for label in said().labels.values())


@pytest.mark.parametrize(
    "refused",
    [
        ("event_key,mode\n", ":1: there is no column modes"),
        ("event_key,modes\nnobody|1,refusals\n", ":2: the published build has no comment 'nobody|1'"),
        ("event_key,modes\nKEY,refusal\n", ":2: there is no failure mode 'refusal'; near it: refusals"),
        ("event_key,modes\nKEY,\n", ":2: no mode is named: write none"),
    ],
)
def test_a_file_of_labels_is_refused_with_its_line(
    run: Run, said: Callable[[], Told], sampled: Any, tmp_path: Path, refused: tuple[str, str]
) -> None:
    content, reason = refused
    key = sampled.one("select min(event_key) from fct_feedback where text_hash is not null")
    file = tmp_path / "labels.csv"
    file.write_text(content.replace("KEY", key))
    before = said().labels
    assert reason in run("--from", str(file))
    assert said().labels == before


def test_a_comment_cannot_steer_the_terminal_of_who_reads_it() -> None:
    assert visible("\x1b[2Jgone\r\u202eback\u2066\n\tok 👍🏽 é") == "\ufffd[2Jgone\ufffd\ufffdback\ufffd\n\tok 👍🏽 é"
