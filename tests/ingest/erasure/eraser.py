"""Carries out what is pending in homes, in processes of its own: imports once, then forks one for each line of JSON.

A line has `home` and `killed_at`: the process kills itself instead of making its so-manieth file or folder durable;
null lets it end. The answer is how it ended: 0, or minus the signal.
"""

import json
import os
import signal
import sys
import traceback
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from ingest.erasure.carry_out import carry_out
from ingest.home import Home
from ingest.log import open_log


def serve(home: Home, killed_at: int | None) -> None:
    sync, numbers = os.fsync, count(1)

    def counted(handle: int) -> None:
        if next(numbers) == killed_at:
            os.kill(os.getpid(), signal.SIGKILL)
        sync(handle)

    os.fsync = counted
    with open_log(None, home.path) as log:
        carry_out(home, log, lambda: None)


def main() -> None:
    for line in sys.stdin:
        order = json.loads(line)
        pid = os.fork()
        if pid:
            _, status = os.waitpid(pid, 0)
            print(os.waitstatus_to_exitcode(status), flush=True)
            continue
        ended = 1
        try:
            serve(Home.existing(Path(order["home"])), order["killed_at"])
            ended = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(ended)


main()
