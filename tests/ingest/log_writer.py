"""A program that writes to a log, for tests that need another process: URL HOME TOPIC NAME ENTRIES SIZE.

Opens the log, prints `ready`, waits for a line of input, then appends ENTRIES entries with the key NAME, SIZE at a
time, and prints the number of each once the log has acknowledged it.
"""

import sys
from pathlib import Path

from ingest.log import Entry, open_log


def written(name: str, number: int) -> bytes:
    """What the writer `name` appends as its entry `number`: long enough that half of it would show."""
    return f"{name} {number} {'.' * 300} {number} {name}".encode()


def main(*arguments: str) -> None:
    url, home, topic, name = arguments[:4]
    entries, size = map(int, arguments[4:])
    with open_log(url, Path(home)) as log:
        print("ready", flush=True)
        sys.stdin.readline()
        for first in range(0, entries, size):
            numbers = range(first, min(first + size, entries))
            log.append([Entry(topic, name, written(name, number)) for number in numbers])
            print(*numbers, sep="\n", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
