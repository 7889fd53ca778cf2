"""Running dbt in process: quiet, offline, its project parsed once a process and kept warm.

dbt-core's surface is untyped here and nowhere else.
"""

import gc
import hashlib
import os
import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from ingest.durable import replace
from ingest.home import Home
from models.errors import FlywheelError, TransientError
from transforms.arrivals import Arrived
from transforms.code import code_digest
from transforms.comments import Description
from transforms.merging import MERGED, UNMERGED

PROJECT = Path(__file__).parent
FAULTS_SHOWN = 5
FULL_DISK = ("No space left on device", "File too large")
"""What a model says of it that writes by Python."""
NOW = "now"
"""The tag of what one run makes."""
EVENTS_READ = re.compile(r"events\('\w+', '([\w.]+)'[,)]")
"""The macro by which a staging model reads events of one type."""
PARSED = "partial_parse.msgpack"
"""What dbt calls the file that holds its parsed project."""


class HowToRun(NamedTuple):
    """What one run of dbt does."""

    full_refresh: bool = False
    """Make anew what is made from touched rows only; what is appended by arrival stays, and is added to."""
    arrived: Arrived | None = None
    """What arrived since the file was built: what doesn't hang on it stays as the file has it. None: all is made."""
    tested: bool = True
    """Run the data tests, too."""
    embed: bool = True
    """Embed what texts are new. False: those whose vector is not known yet wait for a later build."""
    adds: bool = False
    """The file is a copy of the last build, which is added to."""
    merge: bool = True
    """Merge what deletes have left of row groups, which writes a table's last 100,000 rows again."""


def run_dbt(
    home: Home, file: Path, progress: Callable[[int, int], None] | None = None, how: HowToRun | None = None
) -> None:
    """Build the project into `file`. Raises FlywheelError naming what failed and why."""
    how = how or HowToRun()
    manifest = _manifest(home)
    # Unit tests are about the code, not about the lake: tests/transforms runs them.
    left_out = ["unit_test"] if how.tested else ["unit_test", "test"]
    command = ["build", *(part for kind in left_out for part in ("--exclude-resource-type", kind))]
    if how.arrived is not None:
        # By a tag, since dbt compares all names with every name that it is given.
        chosen = _hanging_on(manifest, how.arrived)
        for node in manifest.nodes.values():
            node.tags = [NOW] if node.unique_id in chosen else []
        command += ["--select", f"tag:{NOW}"]
    with _environment(home, file, embed=how.embed, merge=how.merge, adds=how.adds):
        done = _Counter(progress)
        _invoke(
            home, [*command, *(["--full-refresh"] if how.full_refresh else [])], manifest, [done] if progress else []
        )


def run_unit_tests(home: Home, file: Path) -> None:
    """Run the project's unit tests against the columns of `file`. Raises FlywheelError naming those that failed."""
    manifest = _manifest(home)
    with _environment(home, file):
        _invoke(home, ["test", "--select", "test_type:unit"], manifest, [])


def descriptions(home: Home) -> dict[str, Description]:
    """What the project says of each model and seed, and of their columns."""
    return {
        node.name: Description(
            " ".join(node.description.split()),
            {name: " ".join(column.description.split()) for name, column in node.columns.items()},
        )
        for node in _manifest(home).nodes.values()
        if node.resource_type in {"model", "seed"} and node.description
    }


def _hanging_on(manifest: Any, arrived: Arrived) -> set[str]:
    """The tables that are made of what arrived, and those of texts, which may have waited. Views stay as they are."""
    models = [node for node in manifest.nodes.values() if node.resource_type == "model"]
    named = {node.name: node.unique_id for node in models}
    landed = {source.unique_id for source in manifest.sources.values() if source.name in arrived.topics}
    bases = {node.unique_id for node in models if landed & set(node.depends_on.nodes)}
    # What reads copies, corrections or touched events reads the base model of its topic, too, and hangs on that.
    beside = {named[name] for name in ("base_copies", "base_corrections", "int_touched_events")}
    children: dict[str, set[str]] = defaultdict(set)
    for node in models:
        for parent in set(node.depends_on.nodes) - beside:
            children[parent].add(node.unique_id)
    found = bases | {named["int_text_assignments"]}
    waiting = list(found)
    while waiting:
        parent = waiting.pop()
        new = {
            each
            for each in children[parent] - found
            if _is_about(manifest.nodes[each], arrived, is_read=parent in bases)
        }
        found |= new
        waiting += new
    return {each for each in found if manifest.nodes[each].config.materialized != "view"}


def _is_about(node: Any, arrived: Arrived, *, is_read: bool) -> bool:
    """Whether `node` may be another now that something it depends on is; `is_read`: that is the records themselves.

    A model's `meta` says which kinds of records it reads (`reads`), or of which types all its rows are (`rows_of`), or
    those of the table that they hang on (`rows_in`).
    """
    rows_of: list[str] = node.config.meta.get("rows_of", [])
    if rows_of and node.config.meta.get("rows_in", node.name) in arrived.empty and arrived.kinds.isdisjoint(rows_of):
        return False
    reads: list[str] = node.config.meta.get("reads") or EVENTS_READ.findall(node.raw_code)
    return not is_read or not reads or not arrived.kinds.isdisjoint(reads)


@contextmanager
def _environment(
    home: Home | None, file: Path, *, embed: bool = True, merge: bool = True, adds: bool = False
) -> Generator[None]:
    """What the profile and the Python models read, for one run; what was there before comes back."""
    wanted = {
        "FLYWHEEL_BUILD_FILE": str(file),
        "FLYWHEEL_BUILD_HOME": str(home.path) if home else "",
        "FLYWHEEL_BUILD_EMBED": "all" if embed else "known",
        "FLYWHEEL_BUILD_ADDS": "yes" if adds else "no",
        "FLYWHEEL_BUILD_VACUUM": str((MERGED if merge else UNMERGED)["max_vacuum_tasks"]),
    }
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _flags(home: Home) -> list[str]:
    """dbt writes into the home, not into the checkout, and there only its parsed project, for the next process."""
    place = home.path / "dbt" / _version()
    return [
        "--project-dir", str(PROJECT), "--profiles-dir", str(PROJECT),
        "--target-path", str(place), "--log-path", str(place),
        "--log-level", "none", "--log-level-file", "none", "--no-write-json", "--no-version-check",
        "--no-send-anonymous-usage-stats", "--no-use-colors", "--no-print",
    ]  # fmt: skip


_MANIFESTS: dict[Path, Any] = {}


def _manifest(home: Home) -> Any:
    """The parsed project, once a process, and with what an earlier process has parsed of it."""
    if PROJECT not in _MANIFESTS:
        parsed, kept = home.path / "dbt" / _version() / PARSED, _cache() / PARSED
        if not parsed.exists():
            shutil.rmtree(home.path / "dbt", ignore_errors=True)  # what other code has parsed
            if kept.exists():
                parsed.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(kept, parsed)
        # One path for all builds: dbt parses everything again when a variable of the profile has changed. It is not
        # opened here, but names the database in every relation.
        with _environment(None, Path("warehouse.duckdb")):
            _MANIFESTS[PROJECT] = _invoke(home, ["parse"], None, []).result
        gc.freeze()  # it stays as long as the process does: nothing there for the collector
        if not kept.exists():
            with suppress(FlywheelError):  # a cache that can't be written costs seconds, nothing else
                replace(kept, parsed.read_bytes())
    return _MANIFESTS[PROJECT]


@cache
def _version() -> str:
    """Which project is parsed: this code at this place, since dbt notes absolute paths in what it has parsed."""
    return hashlib.sha256(f"{PROJECT.resolve()}\0{code_digest()}".encode()).hexdigest()[:16]


def _cache() -> Path:
    """Where this version of the project is kept as parsed, for new homes: parsing takes 6 s, reading it back 1."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "flywheel" / "dbt" / _version()


@cache
def _runner() -> Any:
    from dbt.adapters.duckdb import environments  # noqa: PLC0415  (a second)
    from dbt.cli.main import dbtRunner  # noqa: PLC0415  (a second)

    # It opens an event loop, and with it sockets, for every thread that runs a Python model, and closes none. Ours need
    # no loop.
    cast(Any, environments)._ensure_event_loop = lambda: None
    return dbtRunner


def _invoke(home: Home, command: list[str], manifest: Any, callbacks: list[Callable[[Any], None]]) -> Any:
    runner = _runner()(manifest=manifest, callbacks=callbacks)
    try:
        outcome = runner.invoke([*command, *_flags(home)])
    finally:
        _close_connections()
    if not outcome.success:
        faults = _faults(outcome)
        kind = TransientError if any(full in faults for full in FULL_DISK) else FlywheelError
        raise kind(f"the build failed, nothing is published: {faults}")
    return outcome


def _close_connections() -> None:
    """dbt keeps the file open after a run, which would lock everybody else out."""
    from dbt.adapters.duckdb.connections import DuckDBConnectionManager  # noqa: PLC0415  (a second)

    manager = cast(Any, DuckDBConnectionManager)
    if manager._ENV is not None:
        manager._ENV.close()  # close_all_connections() only lets go of it
    manager.close_all_connections()


def _faults(outcome: Any) -> str:
    """The failed models and tests with their messages, on one line."""
    results: list[Any] = getattr(outcome.result, "results", None) or []
    failed: list[Any] = [result for result in results if str(result.status) in {"error", "fail", "runtime error"}]
    if not failed:
        return " ".join(str(outcome.exception or "dbt says nothing more").split())
    shown = [f"{result.node.name}: {_fault(str(result.message))}" for result in failed[:FAULTS_SHOWN]]
    more = f" (and {len(failed) - FAULTS_SHOWN} more)" if len(failed) > FAULTS_SHOWN else ""
    return "; ".join(shown) + more


def _fault(message: str) -> str:
    """A message on one line; of a Python model's, what was raised and not from where."""
    lines = message.strip().splitlines()
    return lines[-1] if "Traceback (most recent call last):" in message else " ".join(message.split())


class _Counter:
    """Counts finished models and tests off dbt's events."""

    def __init__(self, progress: Callable[[int, int], None] | None) -> None:
        self._progress = progress
        self._done = 0
        self._total = 0

    def __call__(self, event: Any) -> None:
        if self._progress is None:
            return
        if event.info.name == "LogStartLine":
            self._total = int(event.data.total)
        elif event.info.name == "NodeFinished":
            self._done += 1
            self._progress(self._done, max(self._total, self._done))
