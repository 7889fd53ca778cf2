"""What a rule is: a name, a version, and a function from an episode to what it finds there."""

from collections.abc import Callable
from typing import Literal, NamedTuple

from ingest.reports.episode import Episode, Finding

Kind = Literal["rollout", "turn"]


class Rule(NamedTuple):
    """A rule. Whoever changes what `look` finds raises `version`: all that has landed is then looked at again."""

    name: str
    version: int
    description: str
    """One sentence: what it reports."""
    needs: str
    """What an episode must hold for the rule to say anything."""
    kinds: frozenset[Kind]
    """What it is shown: rollouts, turns of conversations, or both."""
    look: Callable[[Episode], list[Finding]]

    @property
    def label(self) -> str:
        """Name and version: what its position and its reports go by."""
        return f"{self.name}@{self.version}"
