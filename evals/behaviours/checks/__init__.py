"""Checks of rubrics by name, a file for each thing that they look at. A new one is a function and a line here.

A check takes what was seen, and its arguments as the rubric gives them, all JSON.
"""

from collections.abc import Callable

from evals.behaviours.checks.joined import all_of, any_of
from evals.behaviours.checks.plain import PLAIN
from evals.behaviours.checks.verdict import Verdict

CHECKS: dict[str, Callable[..., Verdict]] = {**PLAIN, "all_of": all_of, "any_of": any_of}

__all__ = ["CHECKS", "Verdict"]
