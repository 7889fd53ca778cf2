"""The rules, by name. A new one is a file here, a line in this list, and one in the seed `rule_modes.csv`."""

from ingest.reports.rule import Rule
from ingest.reports.rules import (
    answer_undone,
    endless_loop,
    repeated_tool_error,
    timed_out,
    unknown_tool,
    user_correction,
)

RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in (
        repeated_tool_error.RULE,
        unknown_tool.RULE,
        endless_loop.RULE,
        timed_out.RULE,
        user_correction.RULE,
        answer_undone.RULE,
    )
}

__all__ = ["RULES"]
