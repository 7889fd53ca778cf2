"""`flywheel evals behaviours`: what behaviours there are, the proof of each, and samples as files."""

import json
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.table import Table

from flywheel.place import placed
from flywheel.ranges import Between
from flywheel.tables import show


@click.command()
@placed
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--run", "prove_it", is_flag=True, help="Try every solver on every sample; exit code 1 if one surprises.")
@click.option("--samples", type=click.IntRange(1, 10_000), default=20, show_default=True, help="So many of each.")
@click.option("--seed", default="0", show_default=True, help="Another seed, other samples.")
@click.option("--difficulty", type=Between(min=0, max=1), help="Of all samples; default: from .1 to .9 in turn.")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the samples here, a line of JSON each."
)
@click.option("--json", "as_json", is_flag=True, help="The proof as JSON; with --run.")
def behaviours(  # noqa: PLR0917
    names: tuple[str, ...], prove_it: bool, samples: int, seed: str, difficulty: float | None, out: Path | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Behaviours that evals measure: all, or those of NAME.

    Samples are made from a seed: a world to act in, a script of what happens, and a rubric. With --run, the solver that
    passes and those that fail act in them: what fails must fail by the check that it names.

    \b
    Examples:
      flywheel evals behaviours
      flywheel evals behaviours --run
      flywheel evals behaviours interruption --samples 200 --seed fresh --out interruption.jsonl
    """
    from evals.behaviours.generate import generate
    from evals.behaviours.proof import prove
    from evals.behaviours.registry import BEHAVIOURS, behaviour

    chosen = [behaviour(name) for name in names or BEHAVIOURS]
    made = {each.name: generate(each, seed, samples, difficulty) for each in chosen} if prove_it or out else {}
    if out is not None:
        out.write_text("".join(f"{sample.model_dump_json()}\n" for name in made for sample in made[name]))
        click.echo(f"{sum(map(len, made.values()))} samples in {out}")
    if prove_it:
        proof = {each.name: prove(each, made[each.name]) for each in chosen}
        surprises = [tried for each in proof.values() for tried in each if tried.as_named < samples]
        if as_json:
            click.echo(json.dumps(
                {name: [tried._asdict() for tried in found] for name, found in proof.items()}, indent=2))  # fmt: skip
        else:
            show(_proof(proof, samples))
            for tried in surprises:
                click.echo(f"{tried.solver}: {tried.odd}")
        raise SystemExit(1 if surprises else 0)
    if out is None:
        table = Table("behaviour", "what is wanted", "ways to fail", box=box.SIMPLE_HEAD)
        for each in chosen:
            table.add_row(each.name, each.wanted, ", ".join(failing.name for failing in each.failing))
        show(table)


def _proof(proof: dict[str, list[Any]], samples: int) -> Table:
    table = Table("behaviour", "samples", "solver", "passes", "by outcome", "fails by", box=box.SIMPLE_HEAD)
    for name, found in proof.items():
        for place, tried in enumerate(found):
            by = f"{tried.names} {tried.failed[tried.names]}/{samples}" if tried.names else ""
            table.add_row(
                "" if place else name, "" if place else str(samples), tried.solver, f"{tried.passed}/{samples}",
                f"{tried.lenient}/{samples}", by,
            )  # fmt: skip
    return table
