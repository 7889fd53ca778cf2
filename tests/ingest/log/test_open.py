"""Addresses of logs: what is one, and what a person reads when it is not."""

from pathlib import Path

import pytest

from ingest.log import open_log
from ingest.log.open import kafka_address
from models.errors import TerminalError, TransientError


@pytest.mark.parametrize("url", [None, "", "embedded"])
def test_the_embedded_log_is_in_the_home(url: str | None, tmp_path: Path) -> None:
    with open_log(url, tmp_path):
        assert (tmp_path / "log" / "log.sqlite").is_file()


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("kafka://localhost", (["localhost:9092"], "")),
        ("kafka://a:1,b.example:65535/home-1", (["a:1", "b.example:65535"], "home-1")),
        ("kafka://[::1]:9092/", (["[::1]:9092"], "")),
    ],
)
def test_addresses_of_kafka(url: str, address: tuple[list[str], str]) -> None:
    assert kafka_address(url) == address


@pytest.mark.parametrize(
    "url", ["kafka://", "kafka://host:x", "kafka://host:0", "kafka://host:70000", "kafka://a,,b", "kafka://h/a.b", "x"]
)
def test_what_is_no_address_is_refused_in_a_line(url: str, tmp_path: Path) -> None:
    with pytest.raises(TerminalError, match="kafka://host:port") as caught:
        open_log(url, tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("host", ["127.0.0.1:1", "no-such-host.invalid"])
def test_a_broker_that_is_not_there_is_named(host: str, tmp_path: Path) -> None:
    with pytest.raises(TransientError, match=rf"No Kafka broker answers at {host}.*make kafka") as caught:
        open_log(f"kafka://{host}/demo", tmp_path)
    assert "\n" not in str(caught.value)
