"""A real collector, shared by the tests, and clients of it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest

from flywheel_client import Flywheel, Settings
from flywheel_client.sender import OnRefused
from tests.clients.served import Served

FAST = Settings(linger=0.01, first_retry=0.01, longest_retry=0.05, exit_timeout=0.2, adopt_every=0.1)
"""Retries that a test can wait for."""


class NewClient(Protocol):
    def __call__(
        self, url: str, settings: Settings = FAST, spool: Path | bool = True, on_refused: OnRefused | None = None
    ) -> Flywheel: ...


@pytest.fixture(scope="session")
def shared_collector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(tmp_path_factory.mktemp("collector"))
    served.start()
    yield served
    served.close()


@pytest.fixture
def collector(shared_collector: Served) -> Iterator[Served]:
    """A collector that lives. Tests share its home, and tell their events by id; who kills it starts it again."""
    shared_collector.faults.clear()
    shared_collector.requests.clear()
    shared_collector.go_on.clear()
    yield shared_collector
    shared_collector.go_on.set()


@pytest.fixture
def new_client(tmp_path: Path) -> Iterator[NewClient]:
    """Clients that share a spool, and are closed at the end."""
    made: list[Flywheel] = []

    def new(
        url: str, settings: Settings = FAST, spool: Path | bool = True, on_refused: OnRefused | None = None
    ) -> Flywheel:
        folder = tmp_path / "spool" if spool is True else spool
        made.append(Flywheel(url, source="test", spool=folder, on_refused=on_refused, settings=settings))
        return made[-1]

    yield new
    for client in made:
        client.close(0.1)
