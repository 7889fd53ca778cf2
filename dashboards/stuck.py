"""What in the loop does not move, since when, and what mends it. Pure: a look at the log and counts of the marts in.

Left out: what is only slow, and what waits for a person's word by design (proposed modes), which the pages show.
"""

from datetime import datetime
from typing import NamedTuple

from dashboards import words
from dashboards.pulse import Pulse
from dashboards.table import Row
from ingest.sink.watchdog import PATIENCE_S

BUILD_PATIENCE_S = 600.0
"""Seconds that what has landed may wait for a build."""


class Stuck(NamedTuple):
    """One thing that does not move."""

    stage: str
    """ingest, taxonomy, specs, jobs or results."""
    what: str
    why: str
    way_out: str


def stuck(pulse: Pulse | None, waits_for_build: int, built_at: datetime, jobs: list[Row], now: datetime) -> list[Stuck]:
    """Everything that is stuck, in the order of the loop. `jobs` as `job_states` gives them."""
    found = [*_of_the_log(pulse)] if pulse else []
    age_s = (now - built_at).total_seconds()
    if waits_for_build and age_s > BUILD_PATIENCE_S:
        waits = words.count(waits_for_build, "record")
        found.append(
            Stuck(
                "ingest",
                f"{waits} landed after the last build",
                f"it is {words.duration(age_s)} old",
                "flywheel build --watch",
            )
        )
    dead = [job for job in jobs if job["state"] == "stuck"]
    if dead:
        owners = words.listed(sorted({str(job["owner"]) for job in dead})[:3])
        verb = "has" if len(dead) == 1 else "have"
        found.append(
            Stuck(
                "jobs",
                f"{words.count(len(dead), 'job')} {verb} an owner that is silent",
                owners,
                "any worker takes it again",
            )
        )
    failed = [job for job in jobs if job["state"] == "failed"]
    if failed:
        reason = next((str(job["reason"]) for job in failed if job["reason"]), "no reason was given")
        found.append(
            Stuck(
                "jobs",
                f"{words.count(len(failed), 'job')} failed for good",
                reason[:200],
                "flywheel evals run, flywheel training run",
            )
        )
    return found


def _of_the_log(pulse: Pulse) -> list[Stuck]:
    if pulse.fault:
        return [Stuck("ingest", "The log can't be looked at", pulse.fault[:200], "flywheel doctor")]
    found = [
        Stuck("ingest", f"The sink {sink.pid} on {sink.host} does not land", sink.trouble[:200], "its log says more")
        for sink in pulse.sinks
        if sink.trouble
    ]
    waiting = sum(one.positions for one in pulse.behind.values())
    if waiting and pulse.waits_s > PATIENCE_S and not found:
        why = f"the oldest for {words.duration(pulse.waits_s)}, and " + (
            "the sinks that run say nothing of it" if pulse.sinks else "no sink runs"
        )
        found.append(Stuck("ingest", f"{words.count(waiting, 'record')} of the log wait to land", why, "flywheel sink"))
    return found
