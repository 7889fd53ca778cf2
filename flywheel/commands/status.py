"""`flywheel status`: lag, freshness, jobs and the last build."""

import json
from datetime import UTC, datetime

import click

from flywheel.health import Health, look
from flywheel.place import existing_home, open_event_log, placed


@click.command()
@placed
@click.option("--json", "as_json", is_flag=True, help="As one JSON object.")
def status(as_json: bool) -> None:
    """How far the lake is behind the log and the marts behind the lake, and what the jobs do.

    \b
    Examples:
      flywheel status
      flywheel status --json | jq .lag
    """
    home = existing_home()
    with open_event_log(home, looking=True) as log:
        health = look(home, log)
    click.echo(json.dumps(health.as_json()) if as_json else describe(health))


def describe(health: Health) -> str:
    """The same in words."""
    return "\n".join(
        [
            f"home      {health.home}",
            f"log       {health.log}",
            f"lake      {_behind(health.lag, 'the log')}"
            + (f"; oldest waits {health.waits_s:.0f} s" if health.lag else ""),
            f"sinks     {_sinks(health)}",
            f"build     {_build(health)}",
            f"marts     {_behind(health.unbuilt, 'the lake')}; newest feedback {_age(health.newest_feedback)}",
            f"refused   {health.quarantined} records in stg_quarantine",
            "jobs      " + (", ".join(f"{n} {state}" for state, n in sorted(health.jobs.items())) or "none"),
        ]
    )


def _sinks(health: Health) -> str:
    if not health.sinks:
        return "none runs"
    sharing = sum(sink.shares for sink in health.sinks)
    run = f"{len(health.sinks)} run" + (f", {sharing} of them share the partitions" if sharing else "")
    return f"{run}. STUCK: {health.stuck}" if health.stuck else run


def _build(health: Health) -> str:
    if health.build is None:
        return "none yet"
    said = f"number {health.build}, made {_age(health.built_at)}"
    said += "" if health.tested else ", data tests not run"
    said += f", {health.texts_waiting} texts wait for their mode" if health.texts_waiting else ""
    return f"{said}; {health.builds} on disk, {health.build_bytes / 1024**2:,.0f} MiB"


def _behind(topics: dict[str, int], what: str) -> str:
    if not topics:
        return f"level with {what}"
    return f"behind {what}: " + ", ".join(f"{topic} by {count}" for topic, count in sorted(topics.items()))


def _age(moment: datetime | None) -> str:
    if moment is None:
        return "never"
    seconds = (datetime.now(UTC) - moment).total_seconds()
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            number = int(seconds // size)
            return f"{number} {unit}{'' if number == 1 else 's'} ago"
    return f"{max(0, int(seconds))} s ago"
