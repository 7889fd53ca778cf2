"""The tree is what the documents say: our package names are ours, and every door is documented."""

from importlib.metadata import packages_distributions
from pathlib import Path

import click
import pytest

from flywheel.cli import cli
from flywheel.ranges import Between

ROOT = Path(__file__).parents[1]
PACKAGES = (
    "models",
    "stats",
    "text",
    "environments",
    "ingest",
    "transforms",
    "training",
    "evals",
    "dashboards",
    "flywheel",
)


@pytest.mark.parametrize("package", PACKAGES)
def test_no_other_distribution_claims_the_name(package: str):
    claimed = set(packages_distributions().get(package, [])) - {"flywheel"}
    assert not claimed, f"{claimed} ships a top-level package {package!r}, which would shadow ours"


def test_dbt_folder_is_no_package():
    assert not (ROOT / "transforms/models/__init__.py").exists()
    assert not list((ROOT / "tests").rglob("__init__.py"))


def commands(group: click.Group, path: str) -> list[tuple[str, click.Command]]:
    found: list[tuple[str, click.Command]] = []
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command, f"{path} {name} is no command"
        found.append((f"{path} {name}", command))
        if isinstance(command, click.Group):
            found += commands(command, f"{path} {name}")
    return found


COMMANDS = commands(cli, "flywheel")


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=[path for path, _ in COMMANDS])
def test_every_command_has_help_and_stands_in_the_readme_or_the_guide(path: str, command: click.Command):
    assert command.help
    assert "Example" in command.help, f"{path} --help shows no example"
    options = {option.name for option in command.params}
    assert {"home", "log"} <= options, f"{path} does not take --home and --log"
    documents = (ROOT / "README.md").read_text() + (ROOT / "docs/commands.md").read_text()
    assert path in documents, f"{path} is in neither README.md nor docs/commands.md"


def test_no_option_takes_a_number_that_is_none():
    numbers = [
        (path, param)
        for path, command in COMMANDS
        for param in command.params
        if isinstance(param.type, type(click.FLOAT))
    ]
    assert len(numbers) > 5
    assert [(path, param.name) for path, param in numbers if not isinstance(param.type, Between)] == []


def test_every_mart_is_described_in_the_guide():
    guide = (ROOT / "docs/marts.md").read_text()
    marts = [path.stem for path in (ROOT / "transforms/models/marts").rglob("*.sql")]
    missing = [mart for mart in marts if mart not in guide]
    assert marts
    assert not missing


def test_compose_runs_only_commands_that_exist():
    known = {path.removeprefix("flywheel ") for path, _ in COMMANDS}
    for line in (ROOT / "docker-compose.yml").read_text().splitlines():
        if line.strip().startswith("command: ["):
            words = [word.strip() for word in line.split("[")[1].rstrip("]").split(",")]
            command = " ".join(word for word in words if not word.startswith("--"))
            assert command in known
