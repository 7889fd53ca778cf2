"""Behaviours by name. A new one is a file and a line here."""

from evals.behaviours.after_correction import AFTER_CORRECTION
from evals.behaviours.asks_or_honours import ASKS_OR_HONOURS
from evals.behaviours.behaviour import Behaviour
from evals.behaviours.follows_skills import FOLLOWS_SKILLS
from evals.behaviours.incident_triage import INCIDENT_TRIAGE
from evals.behaviours.interruption import INTERRUPTION
from evals.behaviours.long_horizon import LONG_HORIZON
from evals.behaviours.missing_tool import MISSING_TOOL
from evals.behaviours.ship_and_report import SHIP_AND_REPORT
from evals.behaviours.stays_in_scope import STAYS_IN_SCOPE
from evals.behaviours.tool_discovery import TOOL_DISCOVERY
from models.errors import TerminalError

BEHAVIOURS: dict[str, Behaviour] = {
    each.name: each
    for each in (
        FOLLOWS_SKILLS,
        ASKS_OR_HONOURS,
        STAYS_IN_SCOPE,
        LONG_HORIZON,
        INTERRUPTION,
        TOOL_DISCOVERY,
        MISSING_TOOL,
        AFTER_CORRECTION,
        INCIDENT_TRIAGE,
        SHIP_AND_REPORT,
    )
}


def behaviour(name: str) -> Behaviour:
    """The behaviour of that name. Raises TerminalError where there is none."""
    if name not in BEHAVIOURS:
        raise TerminalError(f"there is no behaviour {name!r}; known: {', '.join(BEHAVIOURS)}")
    return BEHAVIOURS[name]
