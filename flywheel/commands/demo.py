"""`flywheel demo`: the whole loop, until nothing is left to do."""

import os
import shutil
import sys
from pathlib import Path

import click

from flywheel.place import home_path, open_event_log, open_home, placed

DECISIONS = (
    "select checkpoint_id, decision, champion_id, bar, value, other, difference, low, high, samples, findings.reason "
    "from fct_checkpoint_decisions as decisions left join fct_decision_findings as findings "
    "using (decision_key, checkpoint_id) order by decision_number, number"
)


@click.command()
@placed
@click.option(
    "--data", metavar="DIR", type=click.Path(path_type=Path), help="Real input instead of the bundled sample."
)
@click.option("--full", is_flag=True, help="With an experiment, and three assistants that are compared.")
def demo(data: Path | None, full: bool) -> None:
    """Run the whole loop on a bundled sample: feedback in, failure modes, specs, training, evals, results back.

    With --data, on a folder of exports: WildBench, OpenAssistant, Langfuse, LangSmith, Phoenix, a dogfood sheet.
    Running it twice on one home adds nothing.

    \b
    Examples:
      flywheel demo
      flywheel demo --full
      flywheel demo --data exports --home /tmp/real
      flywheel demo --log kafka://127.0.0.1:9092
    """
    from flywheel.demo.run import run

    home = open_home(feeds=True)
    with open_event_log(home) as log:
        outcome = run(home, log, data, full=full)
    click.echo(outcome.table())
    place = f" --home {home_path()}"
    program = "flywheel" if shutil.which("flywheel") else os.path.relpath(sys.argv[0])
    click.echo(
        "Look further:\n"
        f'  {program} sql{place} "select name, origin, feedback_count, negative_count from dim_failure_modes'
        ' where feedback_count > 0 order by 4 desc"\n'
        f"  {program} report{place} --out report.html\n"
        + (f"  {program} ab{place} outcomes\n" if full else "")
        + (f"  {program} checkpoints{place} list\n" if full and data is None else "")
        + (f'  {program} sql{place} "{DECISIONS}"\n' if full and data is None else "")
        + f"  {program} status{place}"
    )
