"""What every test may ask for. Kafka is real and started once a session."""

from collections.abc import Iterator

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
