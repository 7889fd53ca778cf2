"""What a person reads of an eval, and of two checkpoints beside each other, from the demo's build."""

import html
import json
import re
from pathlib import Path

import pytest

from flywheel.compared import compared
from flywheel.report.eval_page import eval_page
from ingest.home import Home
from ingest.reader import query
from models.errors import TerminalError
from tests.e2e.command import flywheel

JUDGES = "eval:all:judge"


def results(home: Path, key: str) -> list[tuple[str, float, int, str]]:
    """(checkpoint, value, errored, job) of the completed evals of a spec."""
    found = query(
        Home(home), "select checkpoint_id, value, errored, job_id from fct_eval_results where spec_key = ?", [key]
    )
    return sorted((str(row[0]), float(row[1]), int(row[2]), str(row[3])) for row in found.rows)


def test_an_eval_is_a_page_that_stands_alone(demo_home: Path, tmp_path: Path) -> None:
    checkpoint, value, _, job = results(demo_home, JUDGES)[0]
    said = flywheel(
        "evals", "report", JUDGES, "--checkpoint", checkpoint, "--out", str(tmp_path / "r.html"), home=demo_home
    )
    page = (tmp_path / "r.html").read_text()
    assert "r.html" in said
    assert f"accuracy {value:.3f}" in page
    assert page.count("<svg") >= 2
    assert not re.search(r"<script|https?://(?!www\.w3\.org)", page)
    assert eval_page(Home(demo_home), job) == page
    failed = query(
        Home(demo_home),
        "select count(*) from fct_eval_samples where job_id = ? and (score < 1 or score is null)",
        [job],
    ).rows[0][0]
    shown = re.findall(r'<details id="sample-\d+">', page)
    assert 0 < failed <= len(shown)


def test_texts_of_people_are_shown_as_texts(demo_home: Path) -> None:
    page = eval_page(Home(demo_home), JUDGES)
    texts = query(
        Home(demo_home), "select text from sync_spec_samples where spec_key = ? and text like '%<%>%'", [JUDGES]
    )
    for (text,) in texts.rows:
        assert str(text) not in page
    some = query(Home(demo_home), "select text from sync_spec_samples where spec_key = ?", [JUDGES]).rows
    assert any(html.escape(str(text), quote=False) in page for (text,) in some if len(str(text)) > 20)


def test_an_eval_that_is_not_there_names_those_that_are(demo_home: Path) -> None:
    with pytest.raises(TerminalError, match=f"no completed eval 'eval:none'; it has: .*{JUDGES}"):
        eval_page(Home(demo_home), "eval:none")


def test_two_judges_are_compared_on_the_samples_of_both(demo_home: Path) -> None:
    (one, first, *_), (other, second, *_) = results(demo_home, JUDGES)[:2]
    (found,) = compared(Home(demo_home), one, other, JUDGES)
    assert found.candidate == pytest.approx(first)
    assert found.other == pytest.approx(second)
    assert found.difference == pytest.approx(first - second)
    assert found.low is not None and found.high is not None
    assert found.low < first - second < found.high
    said = flywheel("evals", "compare", one, other, "--spec", JUDGES, "--json", home=demo_home)
    assert json.loads(said)[0]["pairs"] == found.pairs > 50
    assert f"{found.difference:+.3f}" in flywheel("evals", "compare", one, other, home=demo_home)


def test_who_was_never_scored_can_not_be_compared(demo_home: Path) -> None:
    one = results(demo_home, JUDGES)[0][0]
    with pytest.raises(TerminalError, match=f"nobody have done; checkpoints with results: .*{one}"):
        compared(Home(demo_home), one, "nobody")
