"""Starts sinks as processes of their own: imports once, then forks one for each line of JSON that it reads.

A line has `home`, `log`, `policy`, and `lease_s` for a sink that shares: others count as gone after that many seconds.
The answer is the process id. A sink ends by SIGTERM, or by worse.
"""

import json
import os
import signal
import sys
import traceback
from pathlib import Path
from threading import Event
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))

from ingest.home import Home
from ingest.log import open_log
from ingest.log.kafka_group import KafkaGroup
from ingest.log.open import kafka_address
from ingest.sink import FlushPolicy, Sink
from ingest.sink.sharing import ByGroup, ByPresence, Everything, Share
from models.topics import LOG_TOPICS


def serve(order: dict[str, Any]) -> None:
    stop = Event()
    signal.signal(signal.SIGTERM, lambda number, frame: stop.set())
    home = Home.open(Path(order["home"]))
    url, lease_s = order["log"], order["lease_s"]
    with open_log(url, home.path) as log:
        share: Share = Everything() if lease_s is None else ByPresence(home, lease_s)
        if url and lease_s is not None:
            share = ByGroup(KafkaGroup(*kafka_address(url), "sink", list(LOG_TOPICS), session_s=lease_s))
        Sink(log, home, FlushPolicy(**order["policy"]), share=share).run(stop)
        share.close()


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        pid = os.fork()
        if pid:
            print(pid, flush=True)
            continue
        try:
            serve(json.loads(line))
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)


main()
