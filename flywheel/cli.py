"""The command line: one group, a file a command. It composes the packages and holds no logic of its own."""

import click

from flywheel.commands import (
    build,
    compact,
    dead_letters,
    demo,
    doctor,
    dogfood,
    erase,
    evals,
    events,
    import_,
    keys,
    modes,
    replay,
    report,
    reports,
    serve,
    sink,
    specs,
    sql,
    status,
    topics,
    training,
)
from flywheel.place import placed


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@placed
@click.version_option(package_name="flywheel")
def cli() -> None:
    """Feedback in, failure modes in SQL, specs, training and evals, results back on the same log.

    \b
    Examples:
      flywheel demo                                  the whole loop on a bundled sample
      flywheel import --format langfuse scores.jsonl
      flywheel sink --once && flywheel build
      flywheel sql "select name, feedback_count from dim_failure_modes order by 2 desc"
    """


for command in (
    demo.demo,
    import_.import_command,
    serve.serve,
    keys.keys,
    sink.sink,
    build.build,
    compact.compact,
    modes.modes,
    specs.specs,
    training.training,
    evals.evals,
    replay.replay,
    dogfood.dogfood,
    dead_letters.dead_letters,
    sql.sql,
    report.report,
    reports.reports,
    status.status,
    doctor.doctor,
    events.events,
    erase.erase,
    topics.topics,
):
    cli.add_command(command)
