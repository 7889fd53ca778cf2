"""The loop at a glance: how much each stage holds, how fresh it is, and what does not move."""

from typing import Any

from dashboards import job_states, words
from dashboards.page import Asked, Page, Shown
from dashboards.pulse import Pulse
from dashboards.stuck import Stuck, stuck
from dashboards.table import Column, Row, Table

COUNTS = """
select
  (select count(*) from fct_feedback) as feedback,
  (select count(*) from fct_responses) as responses,
  (select count(*) from stg_quarantine where corrected_by is null) as refused,
  (select count(*) from dim_failure_modes where feedback_count > 0) as modes,
  (select count(*) from dim_failure_modes where origin = 'discovered' and status not in ('merged',
  'retired')) as discovered,
  (select count(*) from dim_failure_modes where status = 'proposed') as proposed,
  (select count(*) from fct_specs where is_latest) as specs,
  (select count(*) from fct_specs where is_latest and kind = 'eval') as evals,
  (select count(*) from sync_eval_specs where not ready) + (select count(*) from sync_training_specs where not ready)
    as unready,
  (select count(*) from fct_eval_results) as results,
  (select count(*) from fct_training_runs where status = 'completed') as runs,
  (select count(*) from dim_checkpoints where counts) as checkpoints
"""

POSITIONS = """
select topic, log_partition, last_offset, records, received_at from flywheel_build_positions order by topic,
  log_partition
"""

COLUMNS = (
    Column("topic", "topic", sortable=False),
    Column("records", "in the marts", "whole", sortable=False, hint="Records of the log that the build has read."),
    Column("waits", "waits for the sink", "whole", sortable=False, hint="On the log, and not in the lake yet."),
    Column("unbuilt", "waits for a build", "whole", sortable=False, hint="In the lake, and not in the marts yet."),
    Column("received_at", "newest in the marts", "moment", sortable=False),
    Column("state", "state", "state", sortable=False),
)

STUCK = (
    Column("stage", "stage", sortable=False),
    Column("what", "what", sortable=False),
    Column("why", "why", sortable=False),
    Column("way_out", "what mends it", "code", sortable=False),
)


def show(asked: Asked) -> Shown:
    """The stages, and what is stuck in them."""
    counts, build, pulse, now = asked.row(COUNTS), asked.generation.build, asked.pulse(), asked.now
    jobs = (
        job_states.live(pulse) if pulse and not pulse.fault else job_states.built(asked.rows("select * from fct_jobs"))
    )
    topics = _topics(asked.rows(POSITIONS), pulse)
    unbuilt = sum(topic["unbuilt"] or 0 for topic in topics)
    found = stuck(pulse, unbuilt, build["built_at"], jobs, now)
    freshness = Table(
        "freshness", "How fresh each topic is", COLUMNS, topics,
        empty="Nothing has landed yet: flywheel import, or flywheel demo.",
        mart="flywheel_build_positions",
    )  # fmt: skip
    troubles = Table(
        "stuck", "What is stuck", STUCK, [one._asdict() for one in found], empty="Nothing: every stage moves."
    )
    states = {
        state: sum(job["state"] == state for job in jobs)
        for state in ("running", "queued", "completed", "failed", "stuck")
    }
    return Shown(
        lead=_lead(counts, found, words.ago(build["built_at"], now)),
        tables=(troubles, freshness),
        facts={
            "stages": _stages(counts, states, topics, found, build=build, pulse=pulse),
            "built_ago": words.ago(build["built_at"], now),
        },
    )


def _lead(counts: Row, found: list[Stuck], built_ago: str) -> str:
    moves = (
        "The loop moves"
        if not found
        else f"{words.count(len(found), 'thing')} in the loop {'is' if len(found) == 1 else 'are'} stuck"
    )
    return (
        f"{moves}: {words.count(counts['feedback'], 'feedback event')} became "
        f"{words.count(counts['modes'], 'failure mode')}, "
        f"{words.count(counts['specs'], 'live spec')} and {words.count(counts['results'], 'eval result')}. "
        f"The marts were made {built_ago}."
    )


def _topics(positions: list[Row], pulse: Pulse | None) -> list[Row]:
    """One row a topic: what is in the marts, and what is not yet."""
    known = pulse if pulse and not pulse.fault else None
    built = {(row["topic"], row["log_partition"]): row["last_offset"] for row in positions}
    names = sorted({topic for topic, _ in built} | {topic for topic, _ in (known.behind if known else {})})
    rows: list[Row] = []
    for name in names:
        mine = [row for row in positions if row["topic"] == name]
        waits = sum(one.positions for (topic, _), one in known.behind.items() if topic == name) if known else None
        unbuilt = (
            sum(
                max(0, end - built.get((topic, part), -1) - 1)
                for (topic, part), end in known.landed.items()
                if topic == name
            )
            if known
            else None
        )
        records = sum(row["records"] for row in mine)
        if not records and not waits and not unbuilt:
            continue
        rows.append(
            {
                "topic": name, "records": records, "waits": waits, "unbuilt": unbuilt,
                "received_at": max((row["received_at"] for row in mine if row["received_at"]), default=None),
                "state": "unknown" if known is None else "waiting" if waits or unbuilt else "level",
            }
        )  # fmt: skip
    return rows


def _stages(
    counts: Row, jobs: dict[str, int], topics: list[Row], found: list[Stuck], *, build: Row, pulse: Pulse | None
) -> list[dict[str, Any]]:
    """The cards: name, address, state, a number with what it counts, and lines (words each)."""
    waits = sum(topic["waits"] or 0 for topic in topics)
    sinks = "" if pulse is None or pulse.fault else f"{words.count(len(pulse.sinks), 'sink')} running"
    texts = build["texts_waiting"]
    cards: list[tuple[str, str, int, str, str, list[str]]] = [
        (
            "Ingest", "/feedback", counts["feedback"], "feedback events", "waiting" if waits else "fine",
            [words.count(counts["responses"], "response"), f"{words.count(counts['refused'], 'record')} refused",
             f"{waits:,} waiting for the sink" if waits else "level with the log" if sinks else "", sinks],
        ),
        (
            "Taxonomy", "/modes", counts["modes"], "failure modes seen", "waiting" if texts else "fine",
            [f"{counts['discovered']:,} discovered", f"{counts['proposed']:,} proposed, for a person to decide",
             f"{words.count(texts, 'text')} without a vector yet" if texts else ""],
        ),
        (
            "Specs", "/modes", counts["specs"], "live specs", "fine",
            [words.count(counts["evals"], "eval"), f"{counts['unready']:,} not ready yet"],
        ),
        (
            "Jobs", "/jobs", jobs["completed"], "jobs completed",
            "running" if jobs["running"] else "waiting" if jobs["queued"] else "fine",
            [f"{jobs['running']:,} running", f"{jobs['queued']:,} queued",
            f"{jobs['failed'] + jobs['stuck']:,} failed or silent"],
        ),
        (
            "Results", "/checkpoints", counts["results"], "eval results", "fine",
            [words.count(counts["runs"], "training run"), words.count(counts["checkpoints"], "checkpoint")],
        ),
    ]  # fmt: skip
    troubled = {one.stage for one in found}
    return [
        {
            "name": name, "path": path, "big": big, "what": what, "lines": [line for line in lines if line],
            "state": "stuck" if name.lower() in troubled else state,
        }
        for name, path, big, what, state, lines in cards
    ]  # fmt: skip


PAGE = Page(
    name="overview",
    path="/",
    title="Overview",
    question="Does the loop move, and what is stuck?",
    needs=(
        "fct_feedback", "fct_responses", "stg_quarantine", "dim_failure_modes", "fct_specs", "sync_eval_specs",
        "sync_training_specs", "fct_eval_results", "fct_training_runs", "dim_checkpoints", "fct_jobs",
        "flywheel_build_positions",
    ),
    show=show,
    live_s=5,
)  # fmt: skip
