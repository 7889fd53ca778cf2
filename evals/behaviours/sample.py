"""One sample of a behaviour, as plain JSON: what is asked, the world, what happens in it, and the rubric."""

from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evals.agents.script import Script
from evals.behaviours.rubric import Check
from models.errors import TerminalError
from models.feedback import Name
from models.ids import content_id


class BehaviourSample(BaseModel):
    """Frozen: equal samples have equal ids."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    behaviour: Name
    cluster: Name
    """The template that it was made from: samples of one template share their luck."""
    difficulty: float = Field(ge=0, le=1)
    instructions: str
    world: dict[str, Any]
    """See `environments.local.LocalWorld`."""
    script: Script = Script()
    rubric: tuple[Check, ...]
    steps: int = Field(default=60, gt=0)
    """Replies that the policy has."""

    @cached_property
    def sample_id(self) -> str:
        """A hash of what is asked, done and checked."""
        return content_id("sample", self.model_dump(mode="json", exclude={"difficulty", "cluster"}))


def parse_sample(text: str | bytes) -> BehaviourSample:
    """A sample from its JSON. Raises TerminalError where it is none, or asks for a check that there is not."""
    try:
        return BehaviourSample.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        raise TerminalError(f"a sample of a behaviour can't be read: {where}: {first['msg']}") from error
