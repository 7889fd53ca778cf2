"""The published warehouse for many requests: a generation stays open while it is the newest, and answers are kept.

A generation never changes, so that an answer holds as long as the generation does; of `raw` views, which follow the
lake, nothing is kept. Left out: how a file is read, which is `ingest.reader`'s.
"""

from collections import OrderedDict
from collections.abc import Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

from dashboards.table import Row
from ingest.home import Home
from ingest.reader import Ask, reading
from models.errors import FlywheelError

KEPT_ANSWERS = 512
KEPT_ROWS = 500
"""Of an answer; longer ones are asked for again."""
SECONDS = 20.0
"""After which a question is given up."""
LOOK_S = 0.25
"""Between two looks for a newer build."""

Key = tuple[str, tuple[Any, ...]]


class Kept:
    """Answers of one generation, the last asked ones; safe to share between threads."""

    def __init__(self) -> None:
        self._answers: OrderedDict[Key, list[Row]] = OrderedDict()
        self._lock = Lock()

    def find(self, key: Key) -> list[Row] | None:
        """The rows that are kept under `key`."""
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
            return self._answers.get(key)

    def keep(self, key: Key, rows: list[Row]) -> None:
        """Keep an answer that is not too long, and let go of the one that was not asked for longest."""
        if len(rows) > KEPT_ROWS:
            return
        with self._lock:
            self._answers[key] = rows
            while len(self._answers) > KEPT_ANSWERS:
                self._answers.popitem(last=False)


class Generation:
    """One published build, open for the questions of one request."""

    def __init__(self, ask: Ask, kept: Kept) -> None:
        self._ask = ask
        self._kept = kept

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """The rows of a query, by names of columns. They are shared: who changes one copies it.

        Raises FlywheelError where the query is wrong, TooSlow where it takes over `SECONDS`.
        """
        key = (sql, tuple(parameters))
        if "raw." not in sql and (known := self._kept.find(key)) is not None:
            return known
        found = self._ask(sql, parameters)
        rows = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
        if "raw." not in sql:
            self._kept.keep(key, rows)
        return rows

    def missing(self, marts: Iterable[str]) -> list[str]:
        """Those of `marts` that the build does not have."""
        there = {row["name"] for row in self.rows(TABLES)}
        return [mart for mart in marts if mart not in there]

    @property
    def build(self) -> Row:
        """What the build says of itself: number, built_at, tested, texts_waiting."""
        return self.rows("select number, built_at, tested, texts_waiting from flywheel_build")[0]


TABLES = """
select table_name as name from duckdb_tables() union all
select case when schema_name = 'raw' then 'raw.' || view_name else view_name end from duckdb_views() where not internal
"""


class Warehouse:
    """The home's published builds.

    Once it is started, an idle reader holds the newest one open, from soon after it was published: DuckDB then gives
    each request the same file without reading its tables' names and places anew.
    """

    def __init__(self, path: Path, seconds: float = SECONDS) -> None:
        self.path = path
        self._seconds = seconds
        self._lock = Lock()
        self._file: str | None = None
        self._kept = Kept()
        self._ended = Event()
        self._thread = Thread(target=self._hold, name="warehouse", daemon=True)

    def start(self) -> None:
        """Begin to hold the newest build open."""
        self._thread.start()

    def close(self) -> None:
        """Let go of it."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(timeout=30)

    @contextmanager
    def generation(self) -> Generator[Generation]:
        """The newest build, the same until the block ends.

        Raises FlywheelError where there is no home or no build yet, TransientError where it can't be opened now.
        """
        home = Home.existing(self.path)
        with reading(home, within=self._seconds) as ask:
            yield Generation(ask, self._answers_of(ask))

    def _answers_of(self, ask: Ask) -> Kept:
        """What is kept of the build that `ask` asks."""
        file = str(ask("select path from duckdb_databases() where not internal").rows[0][0])
        with self._lock:
            if file != self._file:
                self._file, self._kept = file, Kept()
            return self._kept

    def _hold(self) -> None:
        """Keep the newest build open, whichever that is."""
        held: Path | None = None
        with ExitStack() as stack:
            while not self._ended.wait(LOOK_S):
                try:
                    newest = Home(self.path).warehouse.resolve(strict=True)
                    if newest == held:
                        continue
                    with ExitStack() as opening:
                        ask = opening.enter_context(reading(Home(self.path)))
                        Generation(ask, self._answers_of(ask)).missing(())
                        opened = opening.pop_all()
                except (OSError, FlywheelError):
                    continue  # no build yet, or it is just being changed: pages say so themselves
                stack.close()
                stack.push(opened)
                held = newest
