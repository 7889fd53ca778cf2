"""The grader: apart from the agent, on a tree of its own, with tests of its own, and values compared outside."""

from evals.grader.grade import Grade, Tally, Tripwire
from evals.grader.grader import grade

__all__ = ["Grade", "Tally", "Tripwire", "grade"]
