"""The command line: one group, a file a command. It composes the packages and holds no logic of its own."""

from importlib import import_module
from typing import cast

import click

from flywheel.place import placed

COMMANDS = {
    "demo": "demo",
    "import": "import_:import_command",
    "serve": "serve",
    "keys": "keys",
    "sink": "sink",
    "build": "build",
    "compact": "compact",
    "modes": "modes",
    "ab": "ab",
    "specs": "specs",
    "training": "training",
    "evals": "evals",
    "bench": "bench",
    "judges": "judges",
    "tasks": "tasks",
    "room": "room",
    "replay": "replay",
    "dogfood": "dogfood",
    "dead-letters": "dead_letters",
    "sql": "sql",
    "dashboards": "dashboards",
    "report": "report",
    "reports": "reports",
    "status": "status",
    "doctor": "doctor",
    "events": "events",
    "erase": "erase",
    "topics": "topics",
}
"""Command -> file in `flywheel/commands`, with what it is called there where that is not the file's name."""


class OnDemand(click.Group):
    """Imports a command's file once the command is asked for: each needs few of the libraries, and all of them take
    seconds.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, in order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, or None."""
        if cmd_name not in COMMANDS:
            return None
        file, _, name = COMMANDS[cmd_name].partition(":")
        return cast(click.Command, getattr(import_module(f"flywheel.commands.{file}"), name or file))


@click.group(cls=OnDemand, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
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
