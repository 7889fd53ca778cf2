"""Show the rules what has landed since they last looked, and file what they find.

Each version of a rule has a position of its own, in `reports/positions.json` of the home: a new rule, or a new version,
looks at all that is there. The position is saved after the reports are on the log; killed in between, the next run
files the same events again, which readers know by their ids.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ingest.durable import replace
from ingest.home import Home
from ingest.log import EventLog, publish
from ingest.reports.arrivals import Landed, Positions
from ingest.reports.episode import of_rollout
from ingest.reports.filing import on_rollout, on_turn
from ingest.reports.rule import Rule
from ingest.reports.rules import RULES
from models.errors import TerminalError
from models.events.report import ReportFiled

WINDOW = 100_000
"""Records of a partition that are looked at before the position is saved."""


class Filed(NamedTuple):
    """What one run did."""

    looked_at: int
    """Rollouts and turns; those that rules of several positions looked at count for each."""
    reports: dict[str, int]
    """Rule -> how many it filed, the rules that filed none left out."""


def run(home: Home, log: EventLog, rules: Sequence[Rule] = tuple(RULES.values())) -> Filed:
    """Look at what has landed and file reports on `log`. Raises TransientError where the log or the disk fails."""
    looked_at, reports = 0, Counter[str]()
    with home.lock("reports"):
        known = _read(home)
        landed = Landed(home)
        try:
            ends = landed.ends()
            for group in _by_position(rules, known):
                for begin, end in _windows(known.get(group[0].label, {}), ends):
                    seen, found = _look(landed, group, (begin, end, ends))
                    publish(log, found)
                    known |= {rule.label: end for rule in group}
                    _write(home, known)
                    looked_at += seen
                    reports.update(str(report.rule) for report in found)
        finally:
            landed.close()
    return Filed(looked_at, dict(sorted(reports.items())))


def _look(
    landed: Landed, rules: Sequence[Rule], window: tuple[Positions, Positions, Positions]
) -> tuple[int, list[ReportFiled]]:
    """How much is new in the window (begin, end, where the lake ends), and what the rules find in it."""
    seen, found = 0, dict[str, ReportFiled]()
    for rollout in landed.rollouts(*window[:2]):
        seen += 1
        episode = of_rollout(rollout)
        for rule in (rule for rule in rules if "rollout" in rule.kinds):
            for finding in rule.look(episode):
                report = on_rollout(rule, rollout, finding)
                found[report.id] = report
    for turn in landed.turns(*window):
        seen += 1
        for rule in (rule for rule in rules if "turn" in rule.kinds):
            for finding in rule.look(turn.episode):
                # What is only about an answer that was looked at before has been filed then.
                if turn.is_new or max(finding.steps) > 1:
                    report = on_turn(rule, turn, finding)
                    found[report.id] = report
    return seen, list(found.values())


def _by_position(rules: Sequence[Rule], known: dict[str, Positions]) -> list[list[Rule]]:
    """The rules that go on from the same place, together: what landed is read once for all of them."""
    groups: dict[str, list[Rule]] = {}
    for rule in rules:
        groups.setdefault(json.dumps(known.get(rule.label, {}), sort_keys=True), []).append(rule)
    return list(groups.values())


def _windows(begin: Positions, ends: Positions) -> Iterator[tuple[Positions, Positions]]:
    """From `begin` to `ends` in steps of WINDOW records a partition; none where nothing is new."""
    at = {partition: begin.get(partition, 0) for partition in ends}
    while any(at[partition] < end for partition, end in ends.items()):
        step = {partition: max(at[partition], min(end, at[partition] + WINDOW)) for partition, end in ends.items()}
        yield at, step
        at = step


def _read(home: Home) -> dict[str, Positions]:
    file = home.path / "reports" / "positions.json"
    if not file.exists():
        return {}
    try:
        return {
            label: {int(partition): int(offset) for partition, offset in positions.items()}
            for label, positions in json.loads(file.read_text()).items()
        }
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise TerminalError(
            f"{file} can't be read: {error}: remove it, and the rules look at all once more (no report is doubled)"
        ) from error


def _write(home: Home, positions: dict[str, Positions]) -> None:
    content = {label: {str(partition): offset for partition, offset in at.items()} for label, at in positions.items()}
    replace(home.path / "reports" / "positions.json", json.dumps(content, sort_keys=True).encode())
