"""Compacts as a process of its own: imports once, then forks for each line of JSON it reads (`home`), until killed.

The answer is the process id. It merges and removes for as long as it lives.
"""

import json
import os
import signal
import sys
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from ingest.home import Home
from ingest.lake.compaction import CompactionPolicy, compact


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        pid = os.fork()
        if pid:
            print(pid, flush=True)
            continue
        try:
            while True:
                compact(Home(Path(json.loads(line)["home"])), CompactionPolicy(segments=2, rows=60, grace_s=0))
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)


main()
