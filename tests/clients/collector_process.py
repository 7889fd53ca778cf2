"""The collector as a process of its own: `python -m tests.clients.collector_process HOME`. It prints its address."""

import sys
from pathlib import Path

from ingest.collector.server import serve
from ingest.collector.settings import Settings
from ingest.home import Home
from ingest.log.pinned import open_pinned


def main() -> None:
    home = Home.open(Path(sys.argv[1]))
    with open_pinned(None, home) as log:
        serve(home, log, Settings(body_bytes=100_000), host="127.0.0.1", port=0, keyless=True,
              listening=lambda address: print(address, flush=True))  # fmt: skip


if __name__ == "__main__":
    main()
