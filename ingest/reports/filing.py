"""From a finding to the event that files it, and from a person's verdict on a report to the event that says so.

Ids come from content: the same finding of the same rule and version is the same report, however often it is found.
"""

from datetime import datetime

from ingest.reports.arrivals import Turn
from ingest.reports.episode import Finding
from ingest.reports.rule import Rule
from models.events.report import ReportFiled
from models.events.rollout import RolloutRecorded
from models.events.score import ScoreGiven
from models.feedback import Author, Target
from models.ids import event_id

SOURCE = "flywheel/reports"
LABEL_METRIC = "report/valid"
"""The metric of a verdict on a report: 1 right, 0 wrong. It is about the report, never a vote on the answer."""


def on_rollout(rule: Rule, rollout: RolloutRecorded, finding: Finding) -> ReportFiled:
    """The report: its target is the rollout, as a trace; the response that a person saw of it stands beside."""
    target = Target(kind="trace", id=rollout.rollout_id)
    return _report(
        rule, target, finding.text, rollout.occurred_at, steps=finding.steps, response_id=rollout.response_id
    )


def on_turn(rule: Rule, turn: Turn, finding: Finding) -> ReportFiled:
    """The report: its target is the answer. A turn has no steps to point to."""
    moment = turn.following_at if max(finding.steps) > 1 else turn.occurred_at
    return _report(rule, Target(kind="response", id=turn.response_id), finding.text, moment)


def _report(
    rule: Rule,
    target: Target,
    text: str,
    occurred_at: datetime | None,
    *,
    steps: tuple[int, ...] | None = None,
    response_id: str | None = None,
) -> ReportFiled:
    moment = occurred_at.isoformat() if occurred_at else None
    where = ",".join(map(str, steps)) if steps else None
    return ReportFiled(
        id=event_id("report", rule.name, rule.version, target.kind, target.id, response_id, where, text, moment),
        source=SOURCE,
        occurred_at=occurred_at,  # when it went wrong, which doesn't change with when a rule was run
        target=target,
        author=Author(kind="code", id=rule.name),
        kind="automated",
        text=text,
        rule=rule.name,
        rule_version=rule.version,
        steps=steps,
        response_id=response_id,
    )


def verdict(report_key: str, target: Target, *, right: bool, author: str | None, at: datetime) -> ScoreGiven:
    """A person's verdict on the report `report_key` (source, a bar, event id), whose target is `target`.

    The last of an author on a report counts; one without an author takes the place of the last without.
    """
    return ScoreGiven(
        id=event_id("verdict", report_key, author, right, at.isoformat()),
        source=SOURCE,
        occurred_at=at,
        target=target,
        author=Author(kind="human", id=author),
        metric=LABEL_METRIC,
        data_type="boolean",
        value=float(right),
        native_id=report_key,
    )
