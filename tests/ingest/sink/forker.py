"""Starts sinks as processes of their own: imports once, then forks one for each line of JSON that it reads.

A line has `home` and `policy`; the answer is the process id. A sink ends by SIGTERM, or by worse.
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
from ingest.sink import FlushPolicy, Sink


def serve(order: dict[str, Any]) -> None:
    stop = Event()
    signal.signal(signal.SIGTERM, lambda number, frame: stop.set())
    home = Home.open(Path(order["home"]))
    with open_log(None, home.path) as log:
        Sink(log, home, FlushPolicy(**order["policy"])).run(stop)


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
