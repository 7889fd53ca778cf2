"""What every test may ask for. Kafka is real and started once a session."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kafka_session import kafka_session

pytest.register_assert_rewrite("tests.ingest.log_contract")


@pytest.fixture(scope="session")
def kafka_bootstrap() -> Iterator[str]:
    """`host:port` of a Kafka broker. Tests share it: put each test's topics under a prefix of its own."""
    with kafka_session() as (address, why):
        if address is None:
            pytest.skip(why)
        yield address


@pytest.hookimpl(tryfirst=True)  # xdist reads the marks in the same hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Who shares a fixture that takes long shares a process (`-n 2 --dist loadgroup`), so that it is made once."""
    for item in items:
        folder = Path(item.nodeid.split("::")[0])
        asked: list[str] = getattr(item, "fixturenames", [])
        shared = folder.parent if item.get_closest_marker("kafka") or "sampled" in asked else folder
        item.add_marker(pytest.mark.xdist_group(str(shared)))
