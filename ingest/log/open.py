"""From the address of a log to the log."""

import re
from pathlib import Path

from ingest.log.base import EventLog
from ingest.log.embedded import EmbeddedLog
from ingest.log.kafka_security import KafkaSecurity, security
from ingest.log.kafka_types import Transport
from models.errors import TerminalError

SHAPE = "kafka://host:port[,host:port...][/prefix]"
FAST = "kafka+fast"
"""The scheme for Kafka by confluent-kafka (the extra `[fast]`): the same log, read with less CPU."""
ADDRESS = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^\s:/@\[\]]+)(:(?P<port>[0-9]{1,5}))?")
PREFIX = re.compile(r"[A-Za-z0-9_-]{1,100}")


def open_log(url: str | None, home: Path) -> EventLog:
    """The log at `url`: None or `embedded` is the SQLite file in `home`, `embedded:DIR` the one in another home;
    `kafka://host:port/prefix` is Kafka, `kafka+fast://` the same by confluent-kafka.

    Homes that share a broker have different prefixes. How to get into the cluster, the environment says
    (`kafka_security`). Raises `TerminalError` for an address that is none, and where the
    file can't be a log; `TransientError` where no broker answers.
    """
    if not url or url == "embedded":
        return EmbeddedLog(home / "log" / "log.sqlite")
    if url.startswith("embedded:"):
        return EmbeddedLog(Path(url.removeprefix("embedded:")).expanduser().absolute() / "log" / "log.sqlite")
    servers, prefix = kafka_address(url)
    # Here, since the client takes 0.3 s to load, which every command on the embedded log would pay.
    from ingest.log.kafka import KafkaLog  # noqa: PLC0415

    access = security()
    return KafkaLog(servers, prefix, access, _fast(servers, access) if url.startswith(f"{FAST}://") else None)


def _fast(servers: list[str], access: KafkaSecurity) -> Transport:
    try:
        from ingest.log.fast import Librdkafka  # noqa: PLC0415  (an optional extra)
    except ImportError as error:
        raise TerminalError(
            f"{FAST}:// needs confluent-kafka, which is not installed ({error}): pip install '.[fast]', or say "
            "kafka://, which is the same log"
        ) from error
    return Librdkafka(servers, access)


def kafka_address(url: str) -> tuple[list[str], str]:
    """`url` (`kafka://` or `kafka+fast://`) as (["host:port", ...], prefix). No port: 9092, no prefix: ""."""
    scheme, _, rest = url.partition("://")
    if scheme not in ("kafka", FAST) or not rest:
        raise TerminalError(f"{url!r} is not the address of a log. Say 'embedded', or {SHAPE}.")
    hosts, _, prefix = rest.partition("/")
    prefix = prefix.removesuffix("/")
    if prefix and not PREFIX.fullmatch(prefix):
        raise TerminalError(f"The prefix {prefix!r} in {url!r} may only have letters, digits, _ and -: {SHAPE}.")
    servers: list[str] = []
    for host in hosts.split(","):
        found = ADDRESS.fullmatch(host)
        if not found or not 0 < int(found["port"] or 9092) < 65536:
            raise TerminalError(f"{host!r} in {url!r} is not host:port. A log on Kafka is {SHAPE}.")
        servers.append(f"{found['host']}:{found['port'] or 9092}")
    return servers, prefix
