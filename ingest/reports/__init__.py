"""Automated reports: rules that look at what a model did and file what went wrong, as a person would.

A rule is a pure function in `rules/`, a file each. `run` shows it every rollout and response that has landed, once per
version of the rule, and files what it finds.
"""

from ingest.reports.episode import Episode, Finding
from ingest.reports.rule import Rule
from ingest.reports.rules import RULES

__all__ = ["RULES", "Episode", "Finding", "Rule"]
