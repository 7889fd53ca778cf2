"""`flywheel modes`: the taxonomy of failure modes."""

import click

from flywheel.commands import mode_changes, mode_files, mode_labels, mode_list
from flywheel.commands.mode_alerts import alerts
from flywheel.commands.mode_report import report
from flywheel.place import open_event_log, open_home, placed
from flywheel.watch import builds, patiently


@click.group()
@placed
def modes() -> None:
    """Failure modes: what goes wrong, by kind. A taxonomy of one's own, and what a discovery proposes.

    \b
    Examples:
      flywheel modes list
      flywheel modes discover
    """


modes.add_command(alerts)
modes.add_command(report)


@modes.command()
@placed
@click.option("--watch", is_flag=True, help="Look again at every new build, until stopped.")
def discover(watch: bool) -> None:
    """Propose modes for comments that no known mode explains, and accept those that pass the rule.

    The rule: at least 8 texts (near-duplicates are one) by at least 2 authors, with a mean cosine of .65 to their
    centroid. A discovery freezes its input as an event first; if it is killed, the next one repeats it on the same
    input. Looks at the published build: run `flywheel build` before it.

    \b
    Example:
      flywheel modes discover && flywheel sink --once && flywheel build
    """
    from transforms.taxonomy.discover import discover_modes

    home = open_home()

    def look() -> None:
        with open_event_log(home) as log:
            found = discover_modes(home, log)
        click.echo(f"{found.proposed} modes proposed, {found.accepted} accepted by the rule")
        if found.asked:
            click.echo(f"{found.asked} merges or splits wait for an answer: flywheel modes list --queue")

    for _ in builds(home, watch=watch):
        patiently(look, watch=watch)


for command in (
    mode_list.list_,
    mode_list.show,
    mode_changes.accept,
    mode_changes.reject,
    mode_changes.merge,
    mode_changes.split,
    mode_changes.rename,
    mode_changes.retire,
    mode_labels.label,
    mode_files.import_file,
    mode_files.export_file,
):
    modes.add_command(command)
