"""A demo on exports of other tools, beside the one on the bundled sample; who changes one takes a copy."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.command import flywheel
from tests.e2e.exports import write_exports
from tests.once import made_once


@pytest.fixture(scope="session")
def export_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small exports of six tools."""
    return made_once(tmp_path_factory, "exports", write_exports)


@pytest.fixture(scope="session")
def data_home(export_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a finished demo on `export_folder`. Read it, never write to it."""

    def make(folder: Path) -> None:
        flywheel("demo", "--data", export_folder, home=folder / "home")

    return made_once(tmp_path_factory, "data", make) / "home"


@pytest.fixture
def copy_of(tmp_path: Path) -> Callable[[Path], Path]:
    """Copies a home, symlink and all."""

    def copy(home: Path) -> Path:
        return shutil.copytree(home, tmp_path / "copy", symlinks=True)

    return copy
