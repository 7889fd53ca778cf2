"""How fast the dashboards are: a page from the server, a page in a browser until it is drawn, and beside Streamlit.

    python -m benchmarks.pages --json FILE [--quick] [--full] [--home DIR] [--big DIR] [--streamlit PYTHON]

A page from the server is its first view after a build, for which nothing is kept: before each a new generation is
published, which is the same file under another name, and the reader comes a second later. `demo_server_ms` and
`big_server_ms` are of the slowest page, each page by the median of its views; `again` is the same page seen again.
`--full` also grows a home of 50 million events, builds it, and asks there; `--home` and `--big` take such homes that
are there. Streamlit is taken from the Python of `--streamlit`, or left out.
"""

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from playwright.sync_api import Browser, sync_playwright

from benchmarks.grown_home import grow
from dashboards import windows
from dashboards.pages import PAGES, mode
from ingest.home import Home
from ingest.reader import query
from transforms.build import BuildPolicy, build

ROOT = Path(__file__).parents[1]
EVENTS = 50_000_000
GOALS = {"demo_server_ms": 100, "demo_ready_ms": 1_200, "big_server_ms": 1_000, "streamlit_ratio": 5}
PAUSE_S = 1.0
"""Between a build and its first reader."""
CHART = ".canvas svg, [data-testid=stVegaLiteChart] canvas, [data-testid=stVegaLiteChart] svg"
LAST = "text=That is all."

IDS = {
    "experiment": "select experiment_id from dim_experiments limit 1",
    "mode": "select mode_id from dim_failure_modes order by feedback_count desc limit 1",
    "checkpoint": "select checkpoint_id from dim_checkpoints order by checkpoint_id limit 1",
    "event": "select event_key from int_written_feedback where text is not null order by event_key limit 1",
    "response": "select response_id from fct_responses where raters > 0 order by response_id limit 1",
}


def main() -> None:
    """Measure, print a table, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--quick", action="store_true", help="3 views instead of 10")
    parser.add_argument("--full", action="store_true", help="also with 50 million events")
    parser.add_argument("--home", type=Path, help="the home of a demo that is there")
    parser.add_argument("--big", type=Path, help="a grown home that is there")
    parser.add_argument("--streamlit", type=Path, help="a Python that has streamlit and duckdb")
    arguments = parser.parse_args()
    views = 3 if arguments.quick else 10
    figures: dict[str, Any] = {"cores": os.cpu_count(), "load_before": os.getloadavg()[0], "views": views}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        home = _copied(arguments.home or _demo(place / "made"), place / "demo")
        addresses = _addresses(home)
        with _dashboards(home.path) as address:
            figures |= _from_server(home, address, addresses, views, "demo")
            figures |= _in_browser(address, addresses, views)
        if arguments.streamlit:
            figures |= _streamlit(home, arguments.streamlit, addresses["mode"], views, place)
            figures["streamlit_ratio"] = figures["streamlit_ready_ms"] / figures["ready_ms_of_pages"]["mode"]
        if arguments.big or arguments.full:
            big = _copied(arguments.big, place / "big") if arguments.big else _grown(place / "big")
            figures["big_events"] = query(big, "select sum(records) from flywheel_build_positions").rows[0][0]
            with _dashboards(big.path) as address:
                figures |= _from_server(big, address, _addresses(big), views, "big")
    _print(figures)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2, default=int) + "\n")


def _demo(path: Path) -> Path:
    subprocess.run([sys.executable, "-m", "flywheel", "demo", "--home", path], check=True, stdout=subprocess.DEVNULL)
    return path


def _grown(path: Path) -> Home:
    home = Home.open(path)
    grow(home, EVENTS)
    build(home, policy=BuildPolicy(tested=False))
    return home


def _copied(path: Path, to: Path) -> Home:
    """A home of our own with the same published build and log: links, not copies, of what weighs."""
    source, home = Home.existing(path), Home.open(to)
    shutil.copy(source.facts_file, home.facts_file)
    for folder in (source.log, source.lake):
        if folder.exists():
            (home.path / folder.name).symlink_to(folder.absolute())
    _publish(home, source.warehouse.resolve(), 1)
    return home


def _publish(home: Home, file: Path, number: int) -> None:
    """`file` as generation `number`; the one before goes."""
    folder = home.builds / str(number)
    folder.mkdir(parents=True)
    try:
        os.link(file, folder / "warehouse.duckdb")
    except OSError:  # another file system
        shutil.copy(file, folder / "warehouse.duckdb")
    link = home.path / ".next"
    link.symlink_to(folder / "warehouse.duckdb")
    link.replace(home.warehouse)
    shutil.rmtree(home.builds / str(number - 1), ignore_errors=True)


def _addresses(home: Home) -> dict[str, str]:
    """Page -> an address of it, of something that the home has; pages of which it has nothing are left out."""
    there = {name for (name,) in query(home, "select table_name from duckdb_tables()").rows}
    found: dict[str, str] = {}
    for page in PAGES:
        if not all(mart in there or mart == "flywheel_build_positions" for mart in page.needs):
            continue
        rows = query(home, IDS[page.name]).rows if page.name in IDS else []
        if page.name not in IDS or rows:
            found[page.name] = f"{page.path}?id={quote(rows[0][0], safe='')}" if rows else page.path
    found["votes"] = "/feedback?kind=thumb"
    found["search"] = "/feedback?q=the"
    return found


@contextmanager
def _dashboards(home: Path) -> Generator[str]:
    """The address of `flywheel dashboards`, its bundle made."""
    words = [sys.executable, "-m", "flywheel", "dashboards", "--port", "0", "--home", str(home)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT) as program:
        assert program.stdout
        address = program.stdout.readline().split()[-1]
        httpx.get(f"{address}/static/vega.js", timeout=60)
        yield address
        program.terminate()


def _from_server(home: Home, address: str, addresses: dict[str, str], views: int, prefix: str) -> dict[str, Any]:
    """Milliseconds of each page, as first seen after a build, and as seen again."""
    first: dict[str, float] = {}
    again: dict[str, float] = {}
    number = 1
    with httpx.Client(base_url=address, timeout=120) as client:
        client.get("/healthz")
        for name, path in addresses.items():
            fresh: list[float] = []
            for _ in range(views):
                number += 1
                _publish(home, home.warehouse.resolve(), number)
                time.sleep(PAUSE_S)
                fresh.append(_seconds(client, path))
            first[name] = 1_000 * statistics.median(fresh)
            again[name] = 1_000 * statistics.median(_seconds(client, path) for _ in range(views))
    return {
        f"{prefix}_server_ms": max(first.values()),
        f"{prefix}_again_ms": max(again.values()),
        f"{prefix}_server_ms_of_pages": first,
        f"{prefix}_again_ms_of_pages": again,
    }


def _seconds(client: httpx.Client, path: str) -> float:
    began = time.perf_counter()
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    return time.perf_counter() - began


def _in_browser(address: str, addresses: dict[str, str], views: int) -> dict[str, Any]:
    """Milliseconds until a page's charts are drawn, in a browser that runs, with nothing in its cache."""
    ready: dict[str, float] = {}
    with _browser() as browser:
        for name, path in addresses.items():
            charted = "data-chart" in httpx.get(address + path).text
            wanted = ("html[data-drawn]",) if charted else ("main .lead",)
            _ready_s(browser, address + path, wanted)
            ready[name] = 1_000 * statistics.median(_ready_s(browser, address + path, wanted) for _ in range(views))
    return {"demo_ready_ms": max(ready.values()), "ready_ms_of_pages": ready}


@contextmanager
def _browser() -> Generator[Browser]:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not found:
        raise SystemExit("no browser is on the path: apt-get install chromium")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"] if os.geteuid() == 0 else [])
        yield running
        running.close()


def _ready_s(browser: Browser, address: str, wanted: tuple[str, ...]) -> float:
    """Seconds from asking for a page until all that is wanted is there."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    began = time.perf_counter()
    page.goto(address, wait_until="commit")
    for selector in wanted:
        page.wait_for_selector(selector, state="attached", timeout=120_000)
    took = time.perf_counter() - began
    context.close()
    return took


def _streamlit(home: Home, python: Path, address: str, views: int, place: Path) -> dict[str, Any]:
    """The same page there: until both charts are drawn and its last line stands."""
    questions = {name: getattr(mode, name) for name in ("ONE", "WEEKS", "EXAMPLES", "SPECS", "RESULTS", "RUNS")}
    questions |= {"WINDOW": windows.WINDOW, "DAYS": windows.DAYS, "warehouse": str(home.warehouse.resolve())}
    questions["mode_id"] = httpx.URL(address).params["id"]
    file = place / "questions.json"
    file.write_text(json.dumps(questions))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    options = ("--server.headless=true", "--browser.gatherUsageStats=false", "--server.fileWatcherType=none")
    words = [python, "-m", "streamlit", "run", ROOT / "benchmarks/pages_streamlit.py", f"--server.port={port}",
             "--server.address=127.0.0.1", *options, "--", file]  # fmt: skip
    with ExitStack() as stack:
        program = stack.enter_context(subprocess.Popen(words, stdout=subprocess.DEVNULL))
        stack.callback(program.terminate)
        _wait_for(f"http://127.0.0.1:{port}/_stcore/health")
        browser = stack.enter_context(_browser())
        wanted = (LAST, f":nth-match({CHART}, 2)")
        first = _ready_s(browser, f"http://127.0.0.1:{port}", wanted)
        ready = [_ready_s(browser, f"http://127.0.0.1:{port}", wanted) for _ in range(views)]
    return {"streamlit_first_ms": 1_000 * first, "streamlit_ready_ms": 1_000 * statistics.median(ready)}


def _wait_for(address: str) -> None:
    for _ in range(240):
        try:
            if httpx.get(address).status_code == 200:
                return
        except httpx.HTTPError:
            time.sleep(0.25)
    raise SystemExit(f"{address} does not answer")


def _print(figures: dict[str, Any]) -> None:
    print(f"\n{'page':12} {'server ms':>10} {'again ms':>10} {'ready ms':>10} {'big ms':>10}")
    for name, first in figures["demo_server_ms_of_pages"].items():
        big = figures.get("big_server_ms_of_pages", {}).get(name)
        print(
            f"{name:12} {first:10.0f} {figures['demo_again_ms_of_pages'][name]:10.0f} "
            f"{figures['ready_ms_of_pages'][name]:10.0f} {'' if big is None else f'{big:.0f}':>10}"
        )
    if "streamlit_ready_ms" in figures:
        print(f"{'in Streamlit':12} {'':10} {'':10} {figures['streamlit_ready_ms']:10.0f}   the page of one mode")
    else:
        print("Streamlit is left out: --streamlit names a Python that has it")
    print(", ".join(f"{name} {figures[name]:.1f} ({goal})" for name, goal in GOALS.items() if name in figures))


if __name__ == "__main__":
    main()
