"""Metrics as files: ours are whole, a home's own stand in for them, and a bad one says what is wrong with it."""

from pathlib import Path

import pytest

from models.errors import TerminalError
from transforms.experiments.metrics import metrics, own_digest, table

GOOD = (
    "title: T\ndescription: D.\nkind: mean\ndirection: higher\nunit: answers\nowner: us\n"
    "numerator: {of: answers, value: one}\n"
)


def own(home: Path, text: str, name: str = "mine") -> Path:
    (home / "metrics").mkdir(exist_ok=True)
    (home / "metrics" / f"{name}.yml").write_text(text)
    return home


def test_what_an_issue_asked_for_is_there() -> None:
    known = metrics(None)
    assert {"thumb_rate", "accept_rate", "failure_mode_rate", "latency_p50", "latency_p95", "cost_per_answer"} <= set(
        known
    )
    assert {metric.kind for metric in known.values()} == {"mean", "proportion", "ratio", "retention", "quantile"}
    assert all(metric.owner and metric.description for metric in known.values())
    assert table(known)["metric"].to_list() == list(known)


def test_a_homes_own_stand_in_for_ours(tmp_path: Path) -> None:
    home = own(tmp_path, GOOD, "thumb_rate")
    assert (metrics(home)["thumb_rate"].title, metrics(None)["thumb_rate"].title) == ("T", "Thumbs up")


def test_the_digest_of_a_homes_own_changes_with_them(tmp_path: Path) -> None:
    assert own_digest(tmp_path) == ""
    first = own_digest(own(tmp_path, GOOD))
    assert len(first) == 16
    assert own_digest(own(tmp_path, GOOD + "cap: 3\n")) != first


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title: [", "is no metric"),
        (GOOD.replace("mean", "ratio"), "a ratio needs 'denominator'"),
        (GOOD.replace("mean", "quantile"), "a quantile needs 'quantile'"),
        (GOOD.replace("mean", "proportion"), "a proportion needs 'window_days'"),
        (GOOD + "quantile: 0.5\n", "a mean has no 'quantile'"),
        (GOOD + "to_day: 3\n", "a mean has no 'to_day'"),
        (GOOD.replace("value: one", "value: two"), "of answers there is no 'two'; there are one, latency_ms"),
        (GOOD.replace("of: answers", "of: observed"), "'name' says which observed metric"),
        (GOOD.replace("mean", "retention") + "from_day: 5\nto_day: 2\n", "'from_day' 5 comes after 'to_day' 2"),
        (GOOD.replace("mean", "retention") + "from_day: 1\nto_day: 2\ncap: 2\n", "'cap' is for a mean"),
        (GOOD + "winsor: 3\n", "winsor: Extra inputs"),
    ],
)
def test_a_file_that_is_no_metric_says_why(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(TerminalError, match=r"mine\.yml is no metric") as error:
        metrics(own(tmp_path, text))
    assert said in str(error.value)
