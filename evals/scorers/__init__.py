"""Scorers by name, one file each. None copies a score that came with the input. A new one is a file and a line here."""

from evals.scorers.base import EpisodeScorer, JudgeScorer, PolicyScorer, Score, Scorer
from evals.scorers.concise import concise
from evals.scorers.failure_mode import failure_mode
from evals.scorers.instructions import instructions
from evals.scorers.negative_feedback import negative_feedback

SCORERS: dict[str, Scorer] = {
    "behaviour": EpisodeScorer("strict"),
    "concise": PolicyScorer("concise", concise),
    "failure_mode": JudgeScorer("accuracy", failure_mode),
    "instructions": PolicyScorer("obeyed", instructions),
    "negative_feedback": JudgeScorer("accuracy", negative_feedback),
}

__all__ = ["SCORERS", "EpisodeScorer", "JudgeScorer", "PolicyScorer", "Score", "Scorer"]
