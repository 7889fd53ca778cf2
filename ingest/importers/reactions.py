"""Reactions to what a person wrote, of which a tool tells a total and some of the people."""

from ingest.importers.authors import author_id
from ingest.importers.base import Refused
from ingest.importers.feedback import Given
from ingest.importers.votes import Score
from models.events import AnyEvent
from models.feedback import Author

MAX_COUNT = 100_000
"""A total above this is a broken row, not a hundred thousand people."""


def reactions(given: Given, name: str, count: int, users: list[str]) -> list[AnyEvent]:
    """One label an occurrence: by each of `users`, and by somebody for every one that `count` has more."""
    if not 0 <= count <= MAX_COUNT:
        raise Refused(f"the count of {name!r} is {count:,}, not a number from 0 to {MAX_COUNT:,}")
    voters: list[str | None] = [*users, *[None] * (count - len(users))]
    found: list[AnyEvent] = []
    for place, user in enumerate(voters, 1):
        native_id = f"{given.native_id}/{name}/{user or place}"
        each = given._replace(
            key=(*given.key, name, user or place),
            author=Author(kind="human", id=author_id(user)),
            native_id=native_id,
            sequence=None,
            metric=f"reaction/{name}",
        )
        found.append(each.score(Score("categorical", label=name)))
    return found
