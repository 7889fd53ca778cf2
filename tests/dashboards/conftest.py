"""A home with what pages must stand (a finished demo, hostile comments, experiments), clients and a browser for it."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, cast

import pytest
from litestar.testing import TestClient

from dashboards.access import Door
from dashboards.app import dashboards_app
from flywheel.sample import feed_experiment
from ingest.home import Home
from ingest.log import open_log, publish
from ingest.reader import query
from ingest.sink import Sink
from tests.dashboards.benchmark_events import benchmark_events
from tests.dashboards.experiment_events import experiment_events
from tests.dashboards.hostile_comments import hostile_comments
from tests.e2e.command import command, environment
from tests.once import made_once
from transforms.build import BuildPolicy, build

BROWSERS = ("chromium", "chromium-browser", "google-chrome")

Client = TestClient[Any]


@pytest.fixture(scope="session")
def site_home(demo_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Read it, never write to it."""

    def make(folder: Path) -> None:
        path = folder / "home"
        shutil.copytree(demo_home, path, symlinks=True)
        with open_log(None, path) as log:
            feed_experiment(log)
            publish(log, [*hostile_comments(), *experiment_events(), *benchmark_events()])
            Sink(log, Home.open(path)).drain()
        build(Home.open(path), policy=BuildPolicy(tested=False, embed=False))

    return made_once(tmp_path_factory, "site", make) / "home"


@pytest.fixture
def opened(site_home: Path) -> Iterator[Callable[..., Client]]:
    """`opened(door, home=...)` is a client of dashboards on a home, until the test ends."""
    with ExitStack() as stack:

        def begin(door: Door | None = None, home: Path | None = None, **settings: Any) -> Client:
            app = dashboards_app(home or site_home, None, door or Door(), **settings)
            client = TestClient(cast(Any, app), base_url="http://127.0.0.1", raise_server_exceptions=False)
            client.headers["accept"] = "text/html"
            return stack.enter_context(client)

        yield begin


@pytest.fixture(scope="module")
def site(site_home: Path) -> Iterator[Client]:
    """A client of dashboards as this machine's own people see them."""
    with (
        open_log(None, site_home) as log,
        TestClient(cast(Any, dashboards_app(site_home, log, Door())), base_url="http://127.0.0.1") as client,
    ):
        yield client


@pytest.fixture(scope="session")
def served(site_home: Path) -> Iterator[str]:
    """The address of `flywheel dashboards`."""
    words = command("dashboards", "--port", "0", home=site_home, log=None)
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment()) as program:
        assert program.stdout
        said = program.stdout.readline()
        assert said.startswith("listening on http://127.0.0.1:")
        yield said.split()[-1]
        program.terminate()
        assert program.wait(timeout=60) == 0


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Headless Chromium, for one file: while it runs nobody else can have an event loop. Skips where there is none."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is on the path (apt-get install chromium)")
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=found, args=arguments)
        yield running
        running.close()


@pytest.fixture(scope="session")
def counted(site_home: Path) -> Callable[[str], int]:
    """The one number that a query of the home's build gives."""
    return lambda sql: int(query(Home(site_home), sql).rows[0][0])
