from pathlib import Path

import pytest

from benchmarks.clean_room.gauntlet.packages import make_task
from evals.cleanroom.tools import tools
from tests.evals.grader.worlds import package


@pytest.fixture(scope="session")
def site(rooms: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """pytest, for rooms."""
    return tools(("pytest",), tmp_path_factory.mktemp("tools") / "site")


@pytest.fixture(scope="session")
def spans(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a task: one function is cut."""
    return make_task(package("spans"), tmp_path_factory.mktemp("tasks"), site)


@pytest.fixture(scope="session")
def stock(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a task: the methods of a class are cut, and tests have a fixture."""
    return make_task(package("stock"), tmp_path_factory.mktemp("tasks"), site)
