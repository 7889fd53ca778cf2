"""Pictures of every page in light and dark, and of one as a phone has it, for the documentation.

    python -m tests.dashboards.screenshots HOME [docs/images]

HOME is that of a finished `flywheel demo --full`.
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from dashboards.palette import Theme
from ingest.log import open_log
from tests.dashboards.addresses import ADDRESSES
from tests.dashboards.serving import serving

WIDE, PHONE = {"width": 1280, "height": 960}, {"width": 390, "height": 844}
THEMES: tuple[Theme, ...] = ("light", "dark")


def main(home: Path, folder: Path) -> None:
    """Take them all."""
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--force-color-profile=srgb"]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        with open_log(None, home) as log, serving(home, live_s=60, log=log) as address:
            for name, path in ADDRESSES.items():
                for theme in THEMES:
                    _take(browser, address, path, folder / f"{name}-{theme}.png", WIDE, theme)
            _take(browser, address, ADDRESSES["experiment"], folder / "experiment-phone.png", PHONE, "light")
        browser.close()


def _take(browser: Browser, address: str, path: str, file: Path, size: dict[str, int], theme: Theme) -> None:  # noqa: PLR0917
    context = browser.new_context(
        viewport={"width": size["width"], "height": size["height"]}, color_scheme=theme, reduced_motion="reduce"
    )
    page = context.new_page()
    if path.startswith("/event"):  # the demo has none of the tests' hostile comments: its newest one
        page.goto(f"{address}/feedback")
        path = page.locator("tbody th a").first.get_attribute("href") or path
    page.goto(address + path)
    if page.query_selector("[data-chart]"):
        page.wait_for_selector("html[data-drawn]")
    page.screenshot(path=file)
    context.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2] if len(sys.argv) > 2 else "docs/images"))
