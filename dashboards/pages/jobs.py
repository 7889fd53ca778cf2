"""All jobs, as the log has them now: what runs, what waits, what went wrong."""

from dashboards import job_states, words
from dashboards.listing import of_rows
from dashboards.page import Asked, Page, Shown
from dashboards.table import Column, Row

BUILT = "select * from fct_jobs order by updated_at desc, job_id"

STATES = ("running", "queued", "stuck", "failed", "completed")

COLUMNS = (
    Column("job_id", "job"),
    Column("kind", "kind"),
    Column("state", "state", "state"),
    Column("checkpoint_id", "checkpoint", link="/checkpoint"),
    Column("phase", "phase"),
    Column("step", "step", "whole"),
    Column("attempts", "attempts", "whole"),
    Column("owner", "owner"),
    Column("updated_at", "last news", "moment"),
    Column("reason", "why", sortable=False),
)


def show(asked: Asked) -> Shown:
    """The jobs, newest news first; of one state where the address asks for it."""
    state = asked.address.choice("state", STATES)
    pulse = asked.pulse()
    is_live = pulse is not None and not pulse.fault
    rows = job_states.live(pulse) if pulse and is_live else job_states.built(asked.rows(BUILT))
    counts = {name: sum(row["state"] == name for row in rows) for name in STATES}
    shown = [row for row in rows if not state or row["state"] == state]
    table = of_rows(
        asked, "jobs", "Jobs, newest news first", COLUMNS, shown, mart="fct_jobs",
        empty=f"None is {state}." if state else "None yet: flywheel specs publish queues what the marts ask for.",
    )  # fmt: skip
    return Shown(
        lead=_lead(counts, rows),
        tables=(table,),
        facts={"counts": counts, "state": state, "is_live": is_live},
    )


def _lead(counts: dict[str, int], rows: list[Row]) -> str:
    if not rows:
        return "There is no job yet."
    running, queued, completed, failed, silent = (
        counts[name] for name in ("running", "queued", "completed", "failed", "stuck")
    )
    lead = f"{words.count(running, 'job')} {words.are(running)} running, {queued:,} queued, {completed:,} completed."
    if failed or silent:
        return f"{lead} {failed:,} failed for good, and {silent:,} {words.have(silent)} an owner that is silent."
    return f"{lead} None failed."


PAGE = Page(
    name="jobs",
    path="/jobs",
    title="Jobs",
    question="What runs, what waits, and what went wrong?",
    needs=("fct_jobs",),
    show=show,
    live_s=3,
)
