"""What every test may ask for. Kafka is real and started once a session; a demo is made once a run."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.command import flywheel
from tests.kafka_session import kafka_session
from tests.once import made_once

pytest.register_assert_rewrite("tests.ingest.log_contract")


@pytest.fixture(scope="session")
def kafka_bootstrap() -> Iterator[str]:
    """`host:port` of a Kafka broker. Tests share it: put each test's topics under a prefix of its own."""
    with kafka_session() as (address, why):
        if address is None:
            pytest.skip(why)
        yield address


@pytest.fixture(scope="session")
def demo_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a finished demo on the bundled sample. Read it, never write to it."""

    def make(folder: Path) -> None:
        (folder / "printed.txt").write_text(flywheel("demo", home=folder / "home"))

    return made_once(tmp_path_factory, "demo", make) / "home"
