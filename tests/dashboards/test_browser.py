"""Every page in a browser: nothing from outside, no error, no barrier, no sideways scroll, light and dark."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ingest.home import Home
from tests.dashboards.addresses import ADDRESSES
from tests.dashboards.serving import serving

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}
TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
DRAWN = "html[data-drawn]"


class Tab:
    """A page that notes what goes wrong in it."""

    def __init__(self, context: Any, address: str) -> None:
        self.address = address
        self.page = context.new_page()
        self.faults: list[str] = []
        self.page.on("console", self._say)
        self.page.on("pageerror", self._say)
        self.page.on("dialog", self._say)
        self.page.on("request", self._note)

    def _say(self, what: Any) -> None:
        self.faults.append(f"{getattr(what, 'type', 'error')}: {getattr(what, 'text', what)}")

    def _note(self, request: Any) -> None:
        if not request.url.startswith((f"{self.address}/", "data:")):
            self.faults.append(f"asked for {request.url}")

    def open(self, path: str) -> Any:
        """The page of that path, its charts drawn."""
        answer = self.page.goto(self.address + path)
        assert answer.status == 200
        if self.page.query_selector("[data-chart]"):
            self.page.wait_for_selector(DRAWN)
        return self.page


@pytest.fixture
def tab(browser: Any, served: str) -> Iterator[Tab]:
    context = browser.new_context(viewport=DESK, reduced_motion="reduce")
    context.set_default_timeout(20_000)
    yield Tab(context, served)
    context.close()


def barriers(page: Any, *wanted: str) -> list[str]:
    """What axe finds serious or critical: of the rules `wanted`, or of WCAG 2.2 AA and what is usual beside it."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    rules = {"type": "rule", "values": wanted} if wanted else {"type": "tag", "values": TAGS}
    found = axe.Axe().run(page, options={"runOnly": rules, "resultTypes": ["violations"]}).response["violations"]
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:200]} {one['nodes'][0]['failureSummary'][:300]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("name", ADDRESSES)
def test_a_page_is_whole_and_without_barriers(tab: Tab, name: str) -> None:
    page = tab.open(ADDRESSES[name])
    for chart in page.query_selector_all("[data-chart]"):
        assert chart.query_selector("svg path, svg line, svg rect")
    assert page.evaluate("window.evil") is None
    assert barriers(page) == []
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.emulate_media(color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(16, 22, 29)"
    assert barriers(page, "color-contrast", "scrollable-region-focusable") == []
    assert tab.faults == []


def test_the_keyboard_reaches_the_content_first_and_sees_where_it_is(tab: Tab) -> None:
    page = tab.open("/modes")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    assert page.evaluate("document.activeElement.getBoundingClientRect().top") >= 0
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_order_and_filters_are_in_the_address_and_back_leads_back(tab: Tab) -> None:
    page = tab.open("/feedback")
    page.fill("#q", "invoice")
    page.select_option("#opinion", "negative")
    page.click("form.filters button")
    page.wait_for_url("**/feedback?*q=invoice*")
    texts = page.locator("tbody td:nth-child(2)").all_inner_texts()
    assert texts
    assert all("invoice" in text.lower() for text in texts)
    page.click("thead a:has-text('source')")
    assert "q=invoice" in page.url
    assert page.locator("th[aria-sort=ascending]").inner_text().startswith("source")
    page.go_back()
    assert page.input_value("#q") == "invoice"


def test_a_theme_that_was_chosen_stays_and_charts_follow_it(tab: Tab) -> None:
    page = tab.open(ADDRESSES["experiment"])
    colour = "getComputedStyle(document.querySelector('[data-chart=effect] .mark-line path')).stroke"
    assert page.evaluate(colour) == "rgb(0, 114, 178)"
    page.click(".themes a:has-text('Dark')")
    page.wait_for_selector(f"{DRAWN}[data-theme=dark]")
    assert page.evaluate(colour) == "rgb(86, 180, 233)"
    assert "id=obeys-more" in page.url
    assert tab.open("/jobs").evaluate("document.documentElement.dataset.theme") == "dark"


def test_a_chart_comes_as_a_picture_and_is_live_once_somebody_turns_to_it(tab: Tab) -> None:
    page = tab.open(ADDRESSES["experiment"])
    for _ in range(200):  # pictures are made behind
        if page.evaluate("document.querySelectorAll('[data-chart] > svg').length") == 2:
            break
        page = tab.open(ADDRESSES["experiment"])
    assert page.evaluate("typeof vegaEmbed") == "undefined"
    assert page.locator("[data-chart=effect] svg").bounding_box()["width"] > 1_000
    page.hover("[data-chart=effect]")
    page.wait_for_selector("[data-chart=effect].vega-embed, [data-chart=effect] .vega-embed", state="attached")
    page.locator("[data-chart=effect] .mark-symbol path").nth(6).hover(force=True)
    page.wait_for_selector("#vg-tooltip-element.visible")
    assert "difference" in page.inner_text("#vg-tooltip-element")
    assert tab.faults == []


def test_without_scripts_pages_say_the_same(browser: Any, served: str) -> None:
    context = browser.new_context(viewport=DESK, java_script_enabled=False)
    page = context.new_page()
    page.goto(served + ADDRESSES["experiment"])
    assert "B +" in page.inner_text("figure#chart-effect figcaption")
    if page.locator("figure#chart-effect img").count():  # the first who looks gets a picture of its own address
        assert page.locator("figure#chart-effect img").evaluate("node => node.complete && node.naturalWidth > 100")
    else:
        assert page.locator("figure#chart-effect svg path").count() > 5
    page.click("#numbers-effect summary")
    assert page.locator("#numbers-effect tbody tr").count() > 14
    assert not page.is_visible("#pause")
    context.close()


def test_an_open_page_shows_the_next_build_without_moving(browser: Any, site_home: Path, tmp_path: Path) -> None:
    home = Home.open(tmp_path / "home")
    publish(home, site_home, 1)
    context = browser.new_context(viewport={"width": 1280, "height": 500})
    with serving(home.path, live_s=0.2) as address:
        tab = Tab(context, address)
        page = tab.open(ADDRESSES["experiment"])
        page.evaluate("window.same = true")
        page.click("#numbers-segments summary")
        page.evaluate("scrollTo(0, 700)")
        held = page.evaluate_handle("document.querySelector('[data-chart=effect] svg')")
        publish(home, site_home, 2)
        page.wait_for_selector("text=Build 2,", state="attached")
        assert page.evaluate("window.same")
        assert page.evaluate("scrollY") == 700
        assert page.evaluate("document.getElementById('numbers-segments').open")
        assert page.evaluate("svg => document.contains(svg)", held)
        page.click("#pause")
        assert page.get_attribute("#pause", "aria-pressed") == "true"
        publish(home, site_home, 3)
        page.wait_for_timeout(1_000)
        assert page.locator("text=Build 3,").count() == 0
        page.click("#pause")
        page.wait_for_selector("text=Build 3,", state="attached")
        assert [fault for fault in tab.faults if not re.search("ERR_|Failed to fetch", fault)] == []
    context.close()


def publish(home: Home, source: Path, number: int) -> None:
    """The build of another home as build `number` of this one."""
    file = home.builds / str(number) / "warehouse.duckdb"
    file.parent.mkdir(parents=True)
    shutil.copy((source / "warehouse.duckdb").resolve(), file)
    with duckdb.connect(file) as connection:
        connection.execute(f"update flywheel_build set number = {number}")
    link = home.path / ".next"
    link.symlink_to(file)
    link.replace(home.warehouse)
