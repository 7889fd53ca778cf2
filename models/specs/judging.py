"""What a judge has yet to score."""

from models.feedback import Name
from models.specs.base import Spec


class JudgingSpec(Spec):
    """Let one judge score feedback that nobody voted on. Its scores are never evidence for another spec."""

    checkpoint_id: Name
    metric: Name
