"""`flywheel evals plan`: what a comparison of two checkpoints can see, before anybody is asked."""

import json

import click

from flywheel.place import placed
from flywheel.ranges import Between


@click.command()
@placed
@click.option("--difference", type=Between(0, 1, min_open=True), default=0.05, show_default=True, help="To be seen.")
@click.option("--power", type=Between(0, 1, min_open=True, max_open=True), default=0.8, show_default=True)
@click.option("--level", type=Between(0, 0.5, min_open=True), default=0.025, show_default=True, help="One-sided.")
@click.option("--attempts", type=click.IntRange(1, 1_000), default=5, show_default=True, help="At each sample.")
@click.option("--samples", type=click.IntRange(2), help="So many there are: say what they see.")
@click.option("--clusters", type=click.IntRange(2), help="Repositories, if there are only so many.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def plan(  # noqa: PLR0917
    difference: float, power: float, level: float, attempts: int, samples: int | None, clusters: int | None,
    as_json: bool,
) -> None:  # fmt: skip
    """How many samples a paired comparison wants, or what --samples of them can see.

    Goes by what is usual between two checkpoints of one family: attempts as noisy as they can be, samples that differ
    by 14 points (sd), and with --clusters repositories that differ by 5. With too few repositories it says so.

    \b
    Examples:
      flywheel evals plan --difference 0.05 --attempts 5
      flywheel evals plan --samples 200 --attempts 5
      flywheel evals plan --difference 0.05 --clusters 10
    """
    from stats.eval_power import Clusters, Undecidable, detectable, samples_for
    from stats.gate_plan import UNKNOWN

    parts = UNKNOWN if clusters else UNKNOWN._replace(clusters=0.0)
    lie = Clusters(1.0, clusters)
    if samples is not None:
        seen = detectable(parts, samples, attempts, lie, level=level, wanted=power)
        told: dict[str, object] = {"samples": samples, "attempts": attempts, "sees": round(seen, 6)}
        said = f"{samples} samples x {attempts} see {100 * seen:.1f} points with power {power:.0%}"
    else:
        wanted = samples_for(parts, difference, attempts, lie, level=level, wanted=power)
        undecidable = isinstance(wanted, Undecidable)
        told = {"difference": difference, "attempts": attempts, "samples": None if undecidable else wanted}
        told |= {"undecidable": str(wanted)} if undecidable else {}
        said = str(wanted) if undecidable else (
            f"{wanted} samples x {attempts} see {100 * difference:g} points with power {power:.0%}"
        )  # fmt: skip
    click.echo(json.dumps(told, indent=2) if as_json else said)
