"""A conversation's side is fixed when a spec first uses it: what arrives later changes nothing that was issued."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import md5
from itertools import count
from random import Random
from typing import Any, NamedTuple

import pytest

from models.events import AnyEvent
from models.events.comment import CommentLeft
from models.events.response import ResponseServed
from models.events.thumb import ThumbGiven
from models.feedback import Author, Target
from tests.transforms.comparing import differing
from transforms.specs.candidates import wishes
from transforms.specs.publish import issue

NOON = datetime(2026, 11, 3, 12, tzinfo=UTC)
RESPONSES = 110
USED = ("eval:all:judge", "train:all:judge")
SYLLABLES = ("ba", "co", "di", "fu", "ge", "ha", "jo", "ki", "lu", "me", "no", "pa", "ri", "so", "tu", "ve")


def by_hash(key: str) -> str:
    """The side of a conversation that nobody has used."""
    return "eval" if md5(key.encode(), usedforsecurity=False).hexdigest()[:2] < "4d" else "training"


def a_conversation(side: str, name: str) -> str:
    """A conversation id that the hash puts on `side`."""
    return next(key for number in count() if by_hash(key := f"{name}-{number}") == side)


def text(number: int) -> str:
    """A text like no other."""
    draw = Random(number)
    return " ".join("".join(draw.choices(SYLLABLES, k=3)) for _ in range(14))


def answered(response: str, conversation: str | None = None) -> ResponseServed:
    return ResponseServed(
        id=f"served-{response}-{conversation}", source="app", response_id=response, conversation_id=conversation
    )


def said(response: str, words: str, down: bool, **fields: Any) -> list[AnyEvent]:
    """A comment, with a thumb by the same person."""
    target, author = Target(kind="response", id=response), Author(kind="human", id="u")
    given: dict[str, Any] = {"id": f"c-{response}", **fields}
    return [
        CommentLeft(**given, source="app", target=target, author=author, text=words),
        ThumbGiven(id=f"t-{response}", source="app", target=target, author=author, thumb="down" if down else "up"),
    ]


class Issued(NamedTuple):
    lab: Any
    used: dict[str, str]
    """Event key -> the side that used it before the conversations arrived."""
    merged: tuple[str, str]
    """Responses that an eval and a training run had used, and that turned out to be of one conversation."""


@pytest.fixture(scope="module")
def issued(new_lab: Callable[[str], Any]) -> Issued:
    """Specs are issued over answers of unknown conversation; then come these, and what crosses the sides."""
    lab = new_lab("sides")
    lab.land(*(answered(f"r{number}") for number in range(RESPONSES)))
    lab.land(*(event for n in range(RESPONSES) for event in said(f"r{n}", text(n), n % 2 == 0, native_id=f"n{n}")))
    lab.build()
    specs = {candidate.spec.key: candidate.spec for candidate in wishes(lab.home).candidates}
    used = {key: "eval" if name.startswith("eval") else "training" for name in USED for key in specs[name].evidence}
    assert len(used) == RESPONSES
    lab.land(*(issue(specs[name], 1) for name in USED), at=NOON + timedelta(hours=1))

    of_eval, of_training = (
        [key.removeprefix("app|c-") for key in sorted(used) if used[key] == side] for side in ("eval", "training")
    )
    later = NOON + timedelta(hours=2)
    now_training, now_eval = a_conversation("training", "was-eval"), a_conversation("eval", "was-training")
    lab.land(
        answered(of_eval[0], now_training), answered("new-eval", now_training),
        answered(of_training[0], now_eval), answered("new-training", now_eval),
        answered(of_eval[1], "merged"), answered(of_training[1], "merged"), answered("new-merged", "merged"),
        answered("copies-eval", a_conversation("training", "copies-eval")),
        answered("copies-training", a_conversation("eval", "copies-training")),
        at=later,
    )  # fmt: skip
    eval_text, training_text = (text(int(names[2].removeprefix("r"))) for names in (of_eval, of_training))
    edited = of_eval[2]
    lab.land(
        *said("new-eval", text(1_001), True),
        *said("new-training", text(1_002), True),
        *said("new-merged", text(1_003), True),
        *said("copies-eval", f"{eval_text} again", True),
        *said("copies-training", f"{training_text} again", True),
        said(edited, text(999), True, id="edited", native_id=f"n{edited.removeprefix('r')}")[0],
        at=later,
    )
    lab.build()
    return Issued(lab, used, (of_eval[1], of_training[1]))


def sides(lab: Any) -> dict[str, str | None]:
    return dict(lab.ask("select event_key, side from fct_feedback where kind = 'comment'"))


def samples(lab: Any, key: str) -> set[str]:
    return {sample for (sample,) in lab.ask("select sample_id from sync_spec_samples where spec_key = ?", key)}


def test_nothing_that_was_used_flips_when_its_conversation_arrives(issued: Issued) -> None:
    now = sides(issued.lab)
    lost = f"app|c-{issued.merged[1]}"
    assert {key: now[key] for key in issued.used if key != lost} == {
        key: side for key, side in issued.used.items() if key != lost
    }


def test_new_events_of_a_used_conversation_follow_its_first_use_and_not_its_hash(issued: Issued) -> None:
    now = sides(issued.lab)
    assert (now["app|c-new-eval"], now["app|c-new-training"]) == ("eval", "training")
    assert "app|c-new-eval" in samples(issued.lab, "eval:all:judge")
    assert "app|c-new-training" in samples(issued.lab, "train:all:judge")


def test_of_two_used_conversations_that_are_one_training_loses_what_it_had(issued: Issued) -> None:
    of_eval, of_training = issued.merged
    now = sides(issued.lab)
    assert now[f"app|c-{of_eval}"] == "eval"
    assert now[f"app|c-{of_training}"] is None
    assert now["app|c-new-merged"] is None
    assert f"app|c-{of_training}" not in samples(issued.lab, "train:all:judge")


def test_a_near_copy_of_a_used_text_is_left_out_on_the_other_side(issued: Issued) -> None:
    now = sides(issued.lab)
    assert (now["app|c-copies-eval"], now["app|c-copies-training"]) == ("training", "eval")
    assert "app|c-copies-eval" not in samples(issued.lab, "train:all:judge")
    assert "app|c-copies-training" not in samples(issued.lab, "eval:all:judge")


def test_a_cold_build_says_the_same(issued: Issued, new_lab: Callable[[str], Any]) -> None:
    cold = new_lab("sides-cold")
    cold.home.lake.symlink_to(issued.lab.home.lake)
    cold.build()
    assert differing(issued.lab.home.warehouse, cold.home.warehouse) == []
