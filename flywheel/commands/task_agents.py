"""Who tries a task: an agent by its command line, or a model behind an endpoint."""

from pathlib import Path
from typing import Any

import click


def agent_options(command: Any) -> Any:
    """`--agent`, or `--endpoint` and `--model`."""
    for option in (
        click.option("--key-file", type=click.Path(exists=True, path_type=Path), help="The endpoint's key, in a file."),
        click.option("--model", help="Which model the endpoint is asked for."),
        click.option(
            "--endpoint",
            metavar="URL",
            help="OpenAI-compatible, as in http://127.0.0.1:8000/v1; the room has no way to it.",
        ),
        click.option("--agent", metavar="COMMAND", help="A command line in the room: {workdir}, {instructions}."),
    ):
        command = option(command)
    return command


def agent_of(agent: str | None, endpoint: str | None, model: str | None, key_file: Path | None) -> Any:
    """The agent that these options name. Raises TerminalError where they name none, or two."""
    import shlex

    from evals.agents.command import Command
    from evals.agents.endpoint import Endpoint
    from models.errors import TerminalError

    if (agent is None) == (endpoint is None):
        raise TerminalError("who is to try? Give --agent COMMAND, or --endpoint URL with --model NAME, and only one")
    if agent is not None:
        return Command(shlex.split(agent))
    if model is None:
        raise TerminalError(f"--endpoint {endpoint} wants --model NAME")
    return Endpoint(str(endpoint), model, key=key_file.read_text().strip() if key_file else None)
