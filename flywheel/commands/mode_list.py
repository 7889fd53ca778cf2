"""`flywheel modes list` and `show`: the taxonomy as it stands on the log, with the counts of the published build."""

import json
from collections.abc import Iterator
from typing import Any

import click
from rich import box
from rich.table import Table

from flywheel.place import existing_home, open_event_log, placed
from flywheel.shown import visible
from flywheel.tables import show as show_table
from ingest.home import Home
from ingest.reader import query
from text.normal_form import preview
from transforms.taxonomy.changes import find
from transforms.taxonomy.fold import Mode, Taxonomy
from transforms.taxonomy.told import told

COUNTS = "select mode_id, feedback_count, author_count, spec_reason from dim_failure_modes"
EXAMPLES = "select text from fct_failure_mode_examples where mode_id = ? order by rank limit 5"
SHOWN = 200
"""Characters of an example."""

Row = dict[str, Any]


@click.command("list")
@placed
@click.option("--queue", is_flag=True, help="Only what waits for an answer: proposed modes, merges and splits.")
@click.option("--all", "everything", is_flag=True, help="Also modes that were merged, retired or rejected.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def list_(queue: bool, everything: bool, as_json: bool) -> None:
    """The failure modes as a tree, with status, owner, counts of the published build, and why one has no eval yet.

    \b
    Examples:
      flywheel modes list
      flywheel modes list --queue
    """
    home = existing_home()
    with open_event_log(home, looking=True) as log:
        known = told(log).taxonomy
    counts = _counts(home)
    if queue:
        _queue(known, counts, as_json=as_json)
        return
    kept = {mode_id for mode_id, mode in known.modes.items() if everything or mode.stands}
    rows = [_row(mode, depth, counts.get(mode.mode_id, {})) for mode, depth in tree(known, kept)]
    if as_json:
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    table = Table("mode", "id", "status", "owner", "comments", "authors", "no eval yet because", box=box.SIMPLE_HEAD)
    group = None
    for row in rows:
        if not row["depth"] and row["parent"] != group:
            group = row["parent"]
            table.add_row(group or "(no group)")
        status = f"merged into {row['merged_into']}" if row["merged_into"] else row["status"]
        table.add_row(
            f"{'  ' * (row['depth'] + 1)}{row['name']}", row["mode_id"], status, row["owner"] or "",
            _number(row["comments"]), _number(row["authors"]), row["no_eval_yet_because"] or "",
        )  # fmt: skip
    show_table(table)
    if not counts:
        click.echo("there is no build yet, so nothing is counted: flywheel build")
    if (waiting := len(_proposed(known)) + len(known.waiting())) > 0:
        click.echo(f"{waiting} wait for an answer: flywheel modes list --queue")


@click.command()
@placed
@click.argument("mode")
def show(mode: str) -> None:
    """One MODE, by id or name: what it is and is not, what shows it, and what happened to it, by whom.

    \b
    Example:
      flywheel modes show communication
    """
    home = existing_home()
    with open_event_log(home, looking=True) as log:
        said = told(log)
    known = said.taxonomy
    found = find(known, mode)
    counts = _counts(home).get(found.mode_id, {})
    lines = [("id", found.mode_id), ("name", found.name), ("status", found.status), ("origin", found.origin)]
    lines += [
        ("counts as", known.successor(found.mode_id) or "none"),
        ("merged into", found.merged_into),
        ("split into", ", ".join(found.split_into)),
        ("would be part of", found.part_of),
        ("parent", found.parent),
        ("owner", found.owner),
        ("definition", found.definition),
        ("not this", found.not_this),
        ("terms", ", ".join(found.terms)),
        ("comments", _number(counts.get("comments"))),
        ("no eval yet because", counts.get("no_eval_yet_because")),
        ("made of", f"{len(found.member_keys)} comments" if found.member_keys else None),
        ("labelled", f"{sum(found.mode_id in label.modes for label in said.labels.values())} times"),
    ]
    for title, value in lines:
        if value:
            click.echo(f"{title + ':':22}{value}")
    others = [other.mode_id for other in known.modes.values() if other.merged_into == found.mode_id]
    _section("merged into it", others)
    _section("examples of the team", [*found.examples, *(f"comment {key}" for key in found.example_keys)])
    _section("clearest comments", _examples(home, found.mode_id))
    _section("history", [f"{each.at:%Y-%m-%d %H:%M} {each.by}: {each.said}" for each in found.history])


def tree(known: Taxonomy, kept: set[str]) -> Iterator[tuple[Mode, int]]:
    """Each mode of `kept` once with its depth: group by group, a mode before those whose parent it is."""
    below: dict[str, list[Mode]] = {}
    for mode_id in sorted(kept, key=lambda each: (known.modes[each].name.casefold(), each)):
        below.setdefault(known.modes[mode_id].parent or "", []).append(known.modes[mode_id])
    seen: set[str] = set()

    def under(parent: str, depth: int) -> Iterator[tuple[Mode, int]]:
        for mode in below.get(parent, []):
            if mode.mode_id not in seen:
                seen.add(mode.mode_id)
                yield mode, depth
                yield from under(mode.mode_id, depth + 1)

    for group in sorted(set(below) - kept - {""}):
        yield from under(group, 0)
    yield from under("", 0)
    # Parents in a circle, which no command of ours writes: their modes stand for themselves.
    for mode_id in sorted(kept - seen):
        yield known.modes[mode_id], 0


def _queue(known: Taxonomy, counts: dict[str, Row], *, as_json: bool) -> None:
    rows: list[Row] = [
        {
            "id": mode.mode_id,
            "asks": "a new mode",
            "about": mode.name,
            "comments": counts.get(mode.mode_id, {}).get("comments"),
            "why": mode.history[0].said if mode.history else "",
        }
        for mode in _proposed(known)
    ]
    for each in known.waiting():
        names = [f"{other} ({known.modes[other].name})" for other in each.others if other in known.modes]
        what = "into " + ", ".join(names) if each.kind == "split" else ", ".join(names)
        rows.append(
            {
                "id": each.proposal_id,
                "asks": "a split" if each.kind == "split" else "a merge",
                "about": f"{each.mode_id}: {what}" if each.kind == "split" else f"{what} into {each.mode_id}",
                "comments": None,
                "why": each.reason,
            }
        )
    if as_json:
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    if not rows:
        click.echo("nothing waits for an answer")
        return
    table = Table("id", "asks for", "about", "comments", "why", box=box.SIMPLE_HEAD)
    for row in rows:
        table.add_row(row["id"], row["asks"], row["about"], _number(row["comments"]), row["why"])
    show_table(table)
    click.echo("answer with flywheel modes accept ID or flywheel modes reject ID")


def _proposed(known: Taxonomy) -> list[Mode]:
    return [mode for mode in known.modes.values() if mode.status == "proposed" and mode.part_of is None]


def _row(mode: Mode, depth: int, counts: Row) -> Row:
    return {
        "mode_id": mode.mode_id, "name": mode.name, "depth": depth, "parent": mode.parent, "status": mode.status,
        "origin": mode.origin, "owner": mode.owner, "merged_into": mode.merged_into,
        "comments": counts.get("comments"), "authors": counts.get("authors"),
        "no_eval_yet_because": counts.get("no_eval_yet_because"),
    }  # fmt: skip


def _counts(home: Home) -> dict[str, Row]:
    """By mode, from the published build; {} where there is none."""
    if not home.warehouse.exists():
        return {}
    return {
        str(mode): {"comments": comments, "authors": authors, "no_eval_yet_because": None if why == "ready" else why}
        for mode, comments, authors, why in query(home, COUNTS).rows
    }


def _examples(home: Home, mode_id: str) -> list[str]:
    rows = query(home, EXAMPLES, [mode_id]).rows if home.warehouse.exists() else []
    return [visible(" ".join(preview(str(row[0]), SHOWN).split())) for row in rows]


def _section(title: str, lines: list[str]) -> None:
    if lines:
        click.echo(f"\n{title}:")
        for line in lines:
            click.echo(f"  {line}")


def _number(value: object) -> str:
    return "" if value is None else str(value)
