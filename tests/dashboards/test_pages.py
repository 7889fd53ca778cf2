"""Every page as HTML and CSV, without a browser: what it says, whom it tells, and what it makes of hostile input."""

import csv
import io
import re
from collections import Counter
from html import unescape
from typing import Any

import pytest

from dashboards.pages import PAGES
from flywheel.sample import experiment_events
from flywheel.sample.experiment import CROSSED
from models.events.experiment import ExposureLogged, MetricObserved
from tests.dashboards import experiment_events as experiments
from tests.dashboards import hostile_comments as hostile
from tests.dashboards.addresses import ADDRESSES
from tests.dashboards.benchmark_events import FRESH, WORN

csv.field_size_limit(10_000_000)


def text_of(site: Any, address: str, status: int = 200) -> str:
    answer = site.get(address)
    assert answer.status_code == status, answer.text[:2000]
    return answer.text


def lead_of(page: str) -> str:
    found = re.search(r'<p class="lead">(.*?)</p>', page, re.DOTALL)
    assert found
    return unescape(found[1])


def csv_of(site: Any, address: str) -> list[dict[str, str]]:
    answer = site.get(address)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/csv")
    assert "attachment" in answer.headers["content-disposition"]
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))


def test_every_page_has_an_address_to_test_it_by() -> None:
    assert {page.name for page in PAGES} == set(ADDRESSES)
    assert len({page.path for page in PAGES}) == len(PAGES)
    assert all(page.question.endswith("?") for page in PAGES)


def test_a_benchmark_that_many_looks_have_worn_is_told_to_be(site: Any) -> None:
    page = text_of(site, "/benchmarks")
    assert lead_of(page) == f"2 benchmarks can be asked; worn, so that fresh tasks are due: {WORN} v1."
    assert FRESH in page and "data-chart" in page


@pytest.mark.parametrize("name", ADDRESSES)
def test_a_page_answers_in_its_first_line_and_gives_each_table_as_csv(site: Any, name: str) -> None:
    page = text_of(site, ADDRESSES[name])
    assert len(lead_of(page)) > 20
    tables = set(re.findall(r'href="([^"]*format=csv[^"]*)"', page))
    for address in tables:
        rows = csv_of(site, unescape(address))
        assert rows, address
    assert tables or name in ("event",)


def test_the_overview_counts_what_the_marts_hold(site: Any, counted: Any) -> None:
    page = text_of(site, "/")
    feedback, modes, specs = (
        counted("select count(*) from fct_feedback"),
        counted("select count(*) from dim_failure_modes where feedback_count > 0"),
        counted("select count(*) from fct_specs where is_latest"),
    )
    assert f"{feedback:,} feedback events became {modes:,} failure modes, {specs:,} live specs" in lead_of(page)
    assert "Nothing: every stage moves." in page
    rows = {row["topic"]: row for row in csv_of(site, "/?format=csv&table=freshness")}
    assert rows["feedback"]["waits"] == "0"
    assert rows["feedback"]["state"] == "level"


def test_experiments_say_how_many_have_a_verdict_and_which_cant_be_trusted(site: Any) -> None:
    lead = lead_of(text_of(site, "/experiments"))
    assert lead.startswith("1 of 4 experiments has a verdict; 3 are running. 2 have a sample ratio mismatch")


def by_hand() -> tuple[dict[str, float], dict[str, int]]:
    """The share of answers that each arm took over, and its persons: those who met one variant."""
    met: dict[str, set[str]] = {}
    for event in experiment_events():
        if isinstance(event, ExposureLogged) and event.person_id:
            met.setdefault(event.person_id, set()).add(event.variant)
    arm = {person: variants.pop() for person, variants in met.items() if len(variants) == 1}
    values: dict[str, list[float]] = {"A": [], "B": []}
    for event in experiment_events():
        if isinstance(event, MetricObserved) and event.person_id in arm:
            values[arm[event.person_id]].append(event.value)
    persons = Counter(arm.values())
    return {name: sum(each) / len(each) for name, each in values.items()}, persons


def test_one_experiment_says_its_verdict_interval_and_guardrails(site: Any) -> None:
    accepted, persons = by_hand()
    page = text_of(site, f"/experiment?id={experiments.ID}")
    difference = accepted["B"] - accepted["A"]
    assert re.match(r"B is better than A: accept_rate \+[\d.]+ points \[[\d.]+, [\d.]+\]", lead_of(page))
    assert "SRM fine; 2 of 2 guardrails hold; 13 units left out." in lead_of(page)
    assert re.search(rf"B \+{100 * difference:.1f}\d* points \(\+", page)
    assert "2 of 2 guardrails hold." in page
    assert f"{CROSSED} units met two variants and are left out. 1 bot or constant anonymous id is left out." in page
    assert re.search(r"Of 7 segments, \d has an interval|Of 7 segments, \d have an interval", page)
    days = csv_of(site, f"/experiment?id={experiments.ID}&format=csv&table=days")
    assert float(days[-1]["difference"]) == pytest.approx(difference)
    assert {row["units"] for row in days[-1:]} == {str(persons["B"])}


def test_an_effect_that_stays_is_not_said_to_fade(site: Any) -> None:
    page = text_of(site, f"/experiment?id={experiments.ID}")
    assert "No effect is known to fade" in page
    rows = {row["metric"]: row for row in csv_of(site, f"/experiment?id={experiments.ID}&format=csv&table=fading")}
    assert float(rows["accept_rate"]["change"]) == pytest.approx(
        float(rows["accept_rate"]["late"]) - float(rows["accept_rate"]["early"])
    )


def test_case_51_lost_exposures_are_a_mismatch_with_the_loss_of_each_arm(site: Any) -> None:
    page = text_of(site, f"/experiment?id={experiments.LOST}")
    assert "Sample ratio mismatch" in page
    assert lead_of(page).startswith("No verdict: the arms have not the units that their weights say")
    arms = csv_of(site, f"/experiment?id={experiments.LOST}&format=csv&table=arms")
    assert [arm["name"] for arm in arms] == ["A", "B", "C"]
    assert [float(arm["share"]) for arm in arms] == pytest.approx([0.109, 0.467, 0.424])
    # If A, the fullest for its plan (10.9 / 10), lost none: 1 - (46.7 / 45) / 1.09 and 1 - (42.4 / 45) / 1.09.
    assert [float(arm["lost"]) for arm in arms] == pytest.approx([0, 0.047910, 0.135576], abs=1e-6)


@pytest.mark.parametrize(
    ("experiment", "said"),
    [(experiments.EMPTY, "no exposure has come yet"), (experiments.ONE_ARM, "there is one arm")],
)
def test_an_experiment_without_data_or_with_one_arm_says_so(site: Any, experiment: str, said: str) -> None:
    page = text_of(site, f"/experiment?id={experiment}")
    assert lead_of(page).startswith("No verdict yet: ")
    assert said in lead_of(page)
    assert ("Nothing has been measured yet" in page) == (experiment == experiments.EMPTY)


def test_what_people_wrote_is_text(site: Any) -> None:
    for address in ("/feedback?source=hostile", "/event?id=hostile%7Cscript", "/response?id=r-0001"):
        page = text_of(site, address)
        assert "<script>window.evil" not in page
        assert "&lt;script&gt;window.evil = 1&lt;/script&gt;" in page
        assert "<b>script</b>" not in page


def test_what_is_searched_for_is_text_and_no_pattern(site: Any) -> None:
    page = text_of(site, '/feedback?q="><script>alert(1)</script>')
    assert "<script>alert" not in page
    assert lead_of(page).startswith("0 comments and reports match")
    assert lead_of(text_of(site, "/feedback?q=%25%25%25")).startswith("0 comments")
    assert lead_of(text_of(site, "/feedback?q=GOES ON AND ON&source=hostile")).startswith("1 comment and report match")


def test_a_comment_of_a_megabyte_is_shortened_and_all_of_it_is_a_link_away(site: Any) -> None:
    assert len(text_of(site, "/feedback?source=hostile")) < 40_000
    page = text_of(site, "/event?id=hostile%7Clong")
    assert len(page) < 60_000
    assert f"The first 20,000 of {len(hostile.LONG):,} characters" in page
    assert "all=yes" in page
    assert hostile.LONG in text_of(site, "/event?id=hostile%7Clong&all=yes")


def test_text_that_runs_from_right_to_left_finds_its_own_direction(site: Any) -> None:
    assert f'<bdi dir="auto">{hostile.ARABIC}</bdi>' in text_of(site, "/feedback?source=hostile")
    assert f'<pre class="all" dir="auto">{hostile.ARABIC}</pre>' in text_of(site, "/event?id=hostile%7Carabic")


def test_csv_runs_no_formula(site: Any) -> None:
    rows = csv_of(site, "/feedback?source=hostile&format=csv&table=feedback")
    texts = {row["text"] for row in rows}
    assert f"'{hostile.FORMULA}" in texts
    assert hostile.LONG in texts


def test_the_state_of_a_page_is_in_its_address(site: Any) -> None:
    rows = csv_of(site, "/modes?format=csv&table=modes&sort.modes=-author_count")
    authors = [int(row["author_count"]) for row in rows]
    assert authors == sorted(authors, reverse=True)
    assert len(set(authors)) > 3
    first, second = (text_of(site, f"/feedback?part.feedback={part}") for part in (1, 2))
    assert "1 to 25 of" in first
    assert "26 to 50 of" in second
    assert 'rel="prev"' in second
    only = csv_of(site, "/feedback?opinion=negative&checkpoint=assistant-a&format=csv&table=feedback")
    assert {(row["opinion"], row["checkpoint_id"]) for row in only} == {("negative", "assistant-a")}
    days = csv_of(site, "/feedback?from=2025-06-10&to=2025-06-11&format=csv&table=feedback")
    assert {row["happened_at"][:10] for row in days} == {"2025-06-10", "2025-06-11"}


@pytest.mark.parametrize(
    "address",
    [
        "/feedback?kind=poem", "/feedback?from=yesterday", "/feedback?part.feedback=0", "/feedback?part.feedback=x",
        "/modes?sort.modes=name;drop", "/modes?format=exe", "/modes?format=csv&table=none",
        "/modes?format=svg&chart=none",
        f"/feedback?q={'x' * 600}",
    ],
)  # fmt: skip
def test_an_address_that_is_none_says_what_is_allowed(site: Any, address: str) -> None:
    page = text_of(site, address, 400)
    assert "The address is not understood" in page
    assert re.search("give |this page has ", lead_of(page))


@pytest.mark.parametrize("path", ["/experiment", "/mode", "/checkpoint", "/response", "/event"])
def test_what_nothing_has_as_id_is_not_there(site: Any, path: str) -> None:
    assert "no" in lead_of(text_of(site, f"{path}?id=<nothing>", 404))
    text_of(site, path, 404)


def test_an_unknown_path_and_method_are_pages(site: Any) -> None:
    assert "There is no such page" in text_of(site, "/nothing", 404)
    assert site.post("/modes").status_code == 405
    assert site.head("/modes").status_code == 200


def test_a_page_that_has_not_changed_is_not_sent_again(site: Any) -> None:
    tag = site.get("/modes").headers["etag"]
    again = site.get("/modes", headers={"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")


def test_a_chart_is_a_picture_for_who_runs_no_script(site: Any) -> None:
    answer = site.get(f"/experiment?id={experiments.ID}&format=svg&chart=effect")
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert answer.text.startswith("<svg")
    assert "$c1" not in answer.text
    assert "#0072b2" in answer.text
