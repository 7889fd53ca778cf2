"""What rooms for tasks need is copied once."""

from pathlib import Path

import pytest

from evals.cleanroom.tools import tools


@pytest.fixture(scope="session")
def tool_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """pytest and what it needs, as a room's tools."""
    return tools(("pytest",), tmp_path_factory.mktemp("tools") / "site")
