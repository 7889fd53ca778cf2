"""Reads the lake's view in four threads, each time as the newest list has it, until the file `stop` is there.

    python reading.py HOME FOLDER

Each thread leaves the number of its finished reads in FOLDER/<thread>. What it saw goes to stdout as JSON.
"""

import json
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

import duckdb

from ingest.home import Home
from ingest.lake.views import lake_relation

home, folder = Home(Path(sys.argv[1])), Path(sys.argv[2])
seen: list[list[tuple[int, ...]]] = [[] for _ in range(4)]
faults: list[str] = []


def read(thread: int) -> None:
    try:
        with duckdb.connect() as connection:
            connection.execute("set threads = 1")
            while not (folder / "stop").exists():
                row = connection.execute(
                    "select count(*), count(distinct (log_partition, log_offset)), coalesce(min(log_offset), 0), "
                    "coalesce(sum(distinct last), 0) from (select *, (max(log_offset) over (partition by log_partition)"
                    f" + 1) * 10 ** log_partition as last from ({lake_relation(home, 'feedback')}))"
                ).fetchall()[0]
                seen[thread].append(tuple(map(int, row)))
                (folder / str(thread)).write_text(str(len(seen[thread])))
    except BaseException as error:
        faults.append(repr(error))
        raise


threads = [threading.Thread(target=read, args=(thread,)) for thread in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(json.dumps({"seen": seen, "faults": faults}))
