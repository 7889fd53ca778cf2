"""`flywheel doctor`: what is missing, and the command that mends it."""

import shutil
import sys
from typing import NamedTuple

import click

from evals.cleanroom.check import check
from flywheel.health import Health, look
from flywheel.place import existing_home, open_event_log, placed
from ingest.home import Home
from ingest.jobs.board import Board
from ingest.log import EventLog
from ingest.reader import query
from models.errors import FlywheelError
from text.embedding import MODEL_SETTING, load_embedder
from text.static_embedding import DTYPE
from transforms.specs.revision import latest

LOW_DISK = 2 * 1024**3
"""Bytes. A build copies the warehouse; below this a copy may not fit."""


RETRIES = {
    "train": "flywheel training run {}",
    "eval": "flywheel evals run {}",
    "judge": "flywheel evals run {}",
    "attempt": "flywheel tasks serve --once, after flywheel specs publish ({})",
}
"""What gives a failed job's spec another look."""


class Finding(NamedTuple):
    """One check: fine, or what is wrong and the way out."""

    ok: bool
    what: str
    mend: str = ""


@click.command()
@placed
def doctor() -> None:
    """Check the machine, the home, the log and the warehouse; exit status 1 if anything needs mending.

    \b
    Example:
      flywheel doctor --home /data/flywheel
    """
    findings = [*_machine(), *_home()]
    for finding in findings:
        click.echo(f"{'ok  ' if finding.ok else 'FIX '} {finding.what}")
        if finding.mend:
            click.echo(f"       {finding.mend}")
    if not all(finding.ok for finding in findings):
        sys.exit(1)


def _machine() -> list[Finding]:
    java = shutil.which("java") and shutil.which("mvn")
    return [
        Finding(True, f"Python {sys.version.split()[0]}"),
        _embedding(),
        Finding(True, "Java and Maven: `make kafka` can start a broker")
        if java
        else Finding(True, "no Java and Maven: Kafka only through --log kafka://..., the embedded log needs neither"),
        _room(),
    ]


def _room() -> Finding:
    """Only tasks need one: that there is none is no fault."""
    found = check()
    return Finding(
        True, f"clean room: {found.said}" if found.works else f"no clean room, which tasks need: {found.said}"
    )


def _embedding() -> Finding:
    try:
        return Finding(True, f"embedding weights installed: {load_embedder(dtype=DTYPE).model_id}")
    except FlywheelError as error:
        return Finding(False, str(error))


def _pinned(home: Home) -> Finding:
    """A home embeds by the model that it began with: another in the setting makes the next build fail."""
    model, _, dtype = str(home.facts().get("embedding", "")).rpartition("-")
    try:
        set_now = load_embedder(dtype=DTYPE).model_id
    except FlywheelError:
        return Finding(True, f"the home's embedding: {model or 'not chosen yet'}")  # said of the machine
    if not model or model == set_now:
        return Finding(True, f"the home's embedding: {f'{model}, {dtype}' if model else 'not chosen yet'}")
    return Finding(
        False,
        f"the home's embedding is {model}, and {MODEL_SETTING} chooses {set_now}",
        f"set {MODEL_SETTING} as when this home was made, or use another home",
    )


def _home() -> list[Finding]:
    try:
        home = existing_home()
    except FlywheelError as error:
        return [Finding(False, str(error))]
    free = shutil.disk_usage(home.path).free
    found = [
        Finding(True, f"home {home.path}"),
        _pinned(home),
        Finding(free > LOW_DISK, f"{free / 1024**3:.1f} GiB free", "" if free > LOW_DISK else "make room on this disk"),
    ]
    try:
        with open_event_log(home, looking=True) as log:
            return [*found, Finding(True, f"log {log.identity()} answers"), *_loop(home, log)]
    except FlywheelError as error:
        return [*found, Finding(False, str(error))]


def _loop(home: Home, log: EventLog) -> list[Finding]:
    health = look(home, log)
    found = [_landing(health)]
    if health.build is None:
        return [*found, Finding(False, "no build yet", "flywheel build")]
    found.append(
        Finding(not health.unbuilt, "the build has seen the whole lake", "flywheel build" if health.unbuilt else "")
    )
    found.append(_views(home))
    board = Board(log)
    board.refresh()
    missing = [
        event.spec_id
        for event in latest(board.specs.values()).values()
        if event.spec_id not in board.retired and not (home.sets / f"{event.spec.data.sha256}.parquet").exists()
    ]
    found.append(
        Finding(
            not missing,
            "the sets of all live specs are here",
            f"flywheel specs publish ({len(missing)} missing)" if missing else "",
        )
    )
    waiting = [job for job in board.jobs.values() if job.status in ("queued", "claimed")]
    kinds = {
        "train": "flywheel training serve --once",
        "eval": "flywheel evals serve --once",
        "judge": "flywheel evals serve --once",
    }
    found.append(Finding(True, f"{len(waiting)} jobs wait", "; ".join(sorted({kinds[job.kind] for job in waiting}))))
    failed = [job for job in board.jobs.values() if job.status == "failed" and job.spec_id not in board.retired]
    found += [
        Finding(False, f"job {job.job_id} failed: {job.reason}", RETRIES[job.kind].format(job.spec_id))
        for job in failed
    ]
    if health.quarantined:
        found.append(
            Finding(
                True, f"{health.quarantined} records in quarantine, not put right", "flywheel sql 'from stg_quarantine'"
            )
        )
    return found


def _landing(health: Health) -> Finding:
    if health.stuck:
        return Finding(False, f"the lake falls behind: {health.stuck}", "mend what it says, then start the sink again")
    if health.lag and not health.sinks:
        return Finding(False, f"the lake is behind the log {health.lag}, and no sink runs", "flywheel sink --once")
    return Finding(True, "the lake holds the whole log, or a sink brings it")


def _views(home: Home) -> Finding:
    """Paths in the raw views are absolute: they break when a home has moved."""
    try:
        query(home, "select count(*) from raw.feedback")
    except FlywheelError:
        return Finding(False, "the raw views point elsewhere: this home has moved", "flywheel build --full-refresh")
    return Finding(True, "raw views read the lake")
