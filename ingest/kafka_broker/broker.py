"""One broker, for who needs no more than its address."""

import contextlib
from collections.abc import Generator

from ingest.kafka_broker.cluster import cluster


@contextlib.contextmanager
def broker(port: int = 0) -> Generator[str]:
    """Run a broker on 127.0.0.1 for as long as the block lasts; gives its address, `127.0.0.1:port`.

    Port 0 is any free one. Raises like `cluster`.
    """
    with cluster(1, port=port) as running:
        yield running.bootstrap
