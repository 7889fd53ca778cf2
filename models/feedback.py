"""What feedback is about (a target) and who gave it (an author)."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints

LONGEST_NAME = 512

Name = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME)]
"""An id or a name: never empty, never longer than a line."""

EventKey = Annotated[str, StringConstraints(min_length=1, max_length=1_025)]
"""What identifies an event for ever: its source, a bar, its id."""

TargetKind = Literal["response", "message", "trace", "span", "conversation"]
AuthorKind = Literal["human", "llm", "code"]


class Target(BaseModel):
    """What the feedback is about. It may arrive before its target does: marts heal when the target comes."""

    model_config = ConfigDict(frozen=True)

    kind: TargetKind
    """Which id this is. Tools that mix them up write rows that nothing joins to."""
    id: Name


class Author(BaseModel):
    """Who gave the feedback. Several authors on one target stay apart."""

    model_config = ConfigDict(frozen=True)

    kind: AuthorKind
    id: Name | None = None
    """None where the source doesn't know: aggregate counts, anonymous votes."""
