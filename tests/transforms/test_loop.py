"""What the build loop leaves for later, and later builds take: texts without a vector, the rest of a backfill."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from models.events.comment import CommentLeft
from models.events.thumb import ThumbGiven
from models.feedback import Author, Target
from models.topics import FIRST_BACKFILL_PARTITION
from transforms.build import BuildPolicy, build
from transforms.waiting import embed_waiting, waiting_texts

NOON = datetime(2026, 11, 3, 12, tzinfo=UTC)
LOOP = BuildPolicy(tested=False, backfill_rows=5, embed=False)
TEXT = "The search tool was called nine times with the same arguments."


def thumb(number: int) -> ThumbGiven:
    return ThumbGiven(
        id=f"thumb-{number}", source="app", author=Author(kind="human", id=f"u{number}"), thumb="up",
        target=Target(kind="response", id="r1"),
    )  # fmt: skip


def test_the_loop_publishes_without_what_takes_long_says_so_and_catches_up(new_lab: Callable[[str], Any]) -> None:
    lab = new_lab("loop")
    assert build(lab.home, policy=LOOP).changed, "of nothing; all that follows is added"
    lab.land(thumb(0), CommentLeft(id="c", source="app", author=Author(kind="human"), text=TEXT,
                                   target=Target(kind="response", id="r1")))  # fmt: skip
    lab.land(*(thumb(number) for number in range(1, 13)), at=NOON + timedelta(hours=1),
             partition=FIRST_BACKFILL_PARTITION)  # fmt: skip

    def said() -> tuple[Any, ...]:
        return lab.ask("select tested, texts_waiting, (select count(*) from fct_feedback) from flywheel_build")[0]

    assert build(lab.home, policy=LOOP).changed
    assert said() == (False, 1, 7)
    assert build(lab.home, policy=LOOP).changed
    assert build(lab.home, policy=LOOP).changed
    assert said() == (False, 1, 14)
    assert not build(lab.home, policy=LOOP).changed, "no text has got its vector"

    assert [form for _, form in waiting_texts(lab.home)][
        -1
    ] == "the search tool was called nine times with the same arguments."
    assert embed_waiting(lab.home, 600.0) > 0
    assert build(lab.home, policy=LOOP).changed
    assert said() == (False, 0, 14)
    assert not build(lab.home, policy=LOOP).changed
    assert lab.one("select count(*) from int_text_assignments") == 1

    assert build(lab.home, policy=BuildPolicy(keep=2)).changed, "the published build was not tested"
    assert said() == (True, 0, 14)
    assert not lab.build().changed
