"""`flywheel modes alerts`: failure modes that grew, told once."""

import click
from rich import box
from rich.table import Table

from flywheel.place import open_event_log, open_home, placed
from flywheel.tables import show
from flywheel.watch import builds, patiently


@click.command()
@placed
@click.option("--watch", is_flag=True, help="Look again at every new build, until stopped.")
def alerts(watch: bool) -> None:
    """Raise an alert for each failure mode that grew, overall or on one checkpoint, variant, language or source.

    The newest 7 days with feedback are compared with the 28 before, an author counting once a day; only what chance
    does not explain over all that was looked at, with 5 voices of 3 authors at least (fct_emerging_modes). One alert
    stands for its 7 days. Looks at the published build: run `flywheel build` before it.

    \b
    Example:
      flywheel modes alerts
    """
    from transforms.taxonomy.alerts import Grown, raise_alerts

    home = open_home()

    def row(grown: Grown, *, new: bool) -> list[str]:
        growth = "new" if grown.ratio is None else f"{grown.ratio:.1f}x"
        high = "" if grown.ratio_high is None else f"{grown.ratio_high:.1f}"
        return [
            grown.name,
            f"{grown.where or 'all'}{' only' if grown.is_only_here else ''}",
            growth,
            f"{grown.ratio_low:.1f} to {high}".strip() if high else f"over {grown.ratio_low:.1f}",
            f"{grown.recent_count} of {grown.recent_total}",
            f"{grown.before_count} of {grown.before_total}",
            str(grown.recent_author_count),
            f"{grown.q_value:.2g}",
            "raised" if new else "stands",
        ]

    def look() -> None:
        with open_event_log(home) as log:
            found = raise_alerts(home, log)
        new = {(event.mode_id, event.subject) for event in found.raised}
        if found.grown and (found.raised or not watch):
            table = Table(
                "mode", "where", "growth", "95% interval", "last 7 days", "28 before", "authors", "q", "alert",
                box=box.SIMPLE_HEAD,
            )  # fmt: skip
            for grown in found.grown:
                table.add_row(*row(grown, new=(grown.mode_id, grown.where) in new))
            show(table)
        if found.raised or not watch:
            click.echo(f"{len(found.grown)} grew, {len(found.raised)} alerts raised")

    for _ in builds(home, watch=watch):
        patiently(look, watch=watch)
