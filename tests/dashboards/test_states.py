"""Where there is nothing to show, a page says so with the way out and the right status."""

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from dashboards.page import Asked, Page, Shown
from dashboards.pages import PAGES
from ingest.home import Home
from tests.dashboards.addresses import ADDRESSES

Opened = Callable[..., Any]


def said(answer: Any, status: int) -> str:
    assert answer.status_code == status, answer.text[:1500]
    assert "<h1>" in answer.text
    return re.sub(r"\s+", " ", answer.text)


@pytest.fixture
def changed(site_home: Path, tmp_path: Path) -> Callable[[str], Path]:
    """A home whose build was changed by some SQL."""

    def change(sql: str) -> Path:
        home = Home.open(tmp_path / "changed")
        file = home.builds / "1" / "warehouse.duckdb"
        file.parent.mkdir(parents=True)
        shutil.copy((site_home / "warehouse.duckdb").resolve(), file)
        with duckdb.connect(file) as connection:
            connection.execute(sql)
        home.warehouse.symlink_to(file)
        return home.path

    return change


def test_no_home(opened: Opened, tmp_path: Path) -> None:
    answer = opened(home=tmp_path / "none").get("/")
    assert "no home at" in said(answer, 503)
    assert answer.headers["retry-after"] == "5"
    assert not (tmp_path / "none").exists()


def test_no_build_yet(opened: Opened, tmp_path: Path) -> None:
    Home.open(tmp_path / "home")
    page = said(opened(home=tmp_path / "home").get("/experiments"), 503)
    assert "flywheel sink --once &amp;&amp; flywheel build" in page
    assert 'data-live="5"' in page


@pytest.mark.parametrize("page", [page for page in PAGES if page.needs], ids=lambda page: page.name)
def test_a_mart_that_is_missing_is_named(opened: Opened, changed: Callable[[str], Path], page: Page) -> None:
    answer = opened(home=changed(f"drop table {page.needs[0]}")).get(ADDRESSES[page.name])
    assert f"has no {page.needs[0]}: flywheel build makes it" in said(answer, 503)


@pytest.mark.parametrize("mart", ["fct_ab_outcomes", "fct_ab_segments", "dim_metrics", "fct_emerging_modes"])
def test_a_page_does_without_marts_that_it_can_do_without(
    opened: Opened, changed: Callable[[str], Path], mart: str
) -> None:
    client = opened(home=changed(f"drop table {mart}"))
    assert [client.get(ADDRESSES[name]).status_code for name in ("experiment", "experiments", "modes")] == [200] * 3


def test_a_mart_of_another_shape_is_no_bug_of_the_page(opened: Opened, changed: Callable[[str], Path]) -> None:
    client = opened(home=changed("alter table dim_experiments drop column srm_ok"))
    assert "srm_ok" in said(client.get("/experiments"), 503)


def test_a_warehouse_that_is_swapped_all_the_time_is_never_an_error(
    opened: Opened, site_home: Path, tmp_path: Path
) -> None:
    home = Home.open(tmp_path / "home")
    client = opened(home=home.path)
    seen: list[str] = []
    for number in range(1, 7):
        file = home.builds / str(number) / "warehouse.duckdb"
        file.parent.mkdir(parents=True)
        shutil.copy((site_home / "warehouse.duckdb").resolve(), file)
        with duckdb.connect(file) as connection:
            connection.execute(f"update flywheel_build set number = {number}")
        link = home.path / ".next"
        link.symlink_to(file)
        link.replace(home.warehouse)
        if number > 1:
            shutil.rmtree(home.builds / str(number - 1))
        page = said(client.get("/checkpoints"), 200)
        seen += re.findall(r"Build (\d+), made", page)
    assert seen == ["1", "2", "3", "4", "5", "6"]


def test_a_build_that_is_gone_says_that_it_is_being_changed(opened: Opened, tmp_path: Path) -> None:
    home = Home.open(tmp_path / "home")
    home.warehouse.symlink_to(tmp_path / "gone.duckdb")
    answer = opened(home=home.path).get("/")
    assert "The warehouse is being changed" in said(answer, 503)
    assert answer.headers["retry-after"] == "5"


def _slow(asked: Asked) -> Shown:
    asked.rows("select count(*) from range(100000000) as a, range(1000000) as b where a.range + b.range < 0")
    return Shown("never")


def _broken(asked: Asked) -> Shown:
    raise KeyError("a bug")


def test_a_question_that_is_too_slow_is_given_up(opened: Opened) -> None:
    page = Page("slow", "/slow", "Slow", "When?", (), _slow)
    answer = opened(pages=(*PAGES, page), seconds=0.2).get("/slow")
    assert "That takes too long" in said(answer, 504)
    assert "the question took over 0.2 s" in answer.text


def test_a_bug_is_a_page_and_a_line_in_the_log(opened: Opened, caplog: pytest.LogCaptureFixture) -> None:
    page = Page("broken", "/broken", "Broken", "Why?", (), _broken)
    assert "a fault of ours" in said(opened(pages=(*PAGES, page)).get("/broken"), 500)
    assert any("/broken failed" in line for line in caplog.messages)
    assert "a bug" not in opened(pages=(*PAGES, page)).get("/broken").text


def test_a_home_that_cant_be_read_is_said(opened: Opened, tmp_path: Path) -> None:
    home = Home.open(tmp_path / "home")
    home.facts_file.write_text("{")
    assert "can&#39;t be read" in said(opened(home=home.path).get("/"), 503)
    assert os.path.lexists(home.facts_file)
