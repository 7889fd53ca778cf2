"""Specs: what evals, training runs and judgings are made from."""

from models.specs.base import Args, DataRef, JsonValue, Spec
from models.specs.evaluation import Confirmation, EvalSpec, ScorerSpec
from models.specs.judging import JudgingSpec
from models.specs.training import Guard, TrainingSpec

__all__ = [
    "Args", "Confirmation", "DataRef", "EvalSpec", "Guard", "JsonValue", "JudgingSpec", "ScorerSpec", "Spec",
    "TrainingSpec",
]  # fmt: skip
