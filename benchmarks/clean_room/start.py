"""What a room costs.

room_start_p50_s   from `open_room` of an empty tree to a room that takes commands, median
room_start_p90_s   the same of the slowest tenth
room_close_p50_s   until nothing is left of it
room_command_p50_s `true` in a room that is open
room_python_p50_s  a Python that does nothing, in a room that is open
room_proxy_p50_s   the start of a room with a proxy
"""

import time
from collections.abc import Callable
from statistics import median, quantiles

from benchmarks.clean_room.section import Section, table
from evals.cleanroom.bubblewrap import open_room
from evals.cleanroom.network import Network


def measure(quick: bool) -> Section:
    """100 rooms and 200 commands of each kind; 20 and 40 if `quick`."""
    rooms, commands = (20, 40) if quick else (100, 200)
    starts, closes = _rooms(rooms, None)
    proxied, _ = _rooms(rooms // 2, Network())
    with open_room(None) as room:
        true = [_took(lambda: room.run(["true"])) for _ in range(commands)]
        python = [_took(lambda: room.run(["python", "-c", "pass"])) for _ in range(commands)]
    kinds = {"start": starts, "start, with a proxy": proxied, "close": closes, "true": true, "python -c pass": python}
    rows: list[tuple[object, ...]] = [
        (name, len(times), f"{1000 * median(times):.1f}", f"{1000 * quantiles(times, n=10)[-1]:.1f}")
        for name, times in kinds.items()
    ]
    return Section(
        "Cost of a room",
        table(("what", "n", "median ms", "90% ms"), rows),
        {
            "room_start_p50_s": round(median(starts), 4),
            "room_start_p90_s": round(quantiles(starts, n=10)[-1], 4),
            "room_close_p50_s": round(median(closes), 4),
            "room_command_p50_s": round(median(true), 4),
            "room_python_p50_s": round(median(python), 4),
            "room_proxy_p50_s": round(median(proxied), 4),
        },
    )


def _rooms(count: int, network: Network | None) -> tuple[list[float], list[float]]:
    starts: list[float] = []
    closes: list[float] = []
    for _ in range(count):
        began = time.perf_counter()
        with open_room(None, network=network):
            starts.append(time.perf_counter() - began)
            began = time.perf_counter()
        closes.append(time.perf_counter() - began)
    return starts, closes


def _took(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
