"""What one append brings has one time of arrival: then the place in the log says what came first."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest

from ingest.importers import IMPORTERS
from ingest.importers.run import import_file
from ingest.log import open_log, publish
from ingest.sink import Sink
from models.events import AnyEvent
from models.events.comment import CommentLeft
from models.events.thumb import ThumbGiven
from models.feedback import Author, Target

VOTES = "user,response_id,thumb\nu1,r1,up\nu1,r1,down\nu1,r1,up\n"
SAME_IDS = 8


def thumb(number: int, thumb: Literal["up", "down"]) -> ThumbGiven:
    target, author = Target(kind="response", id=f"tie-{number}"), Author(kind="human", id="u")
    return ThumbGiven(id=f"tie-{number}", source="app", target=target, author=author, thumb=thumb)


def edit(number: int, text: str) -> CommentLeft:
    return CommentLeft(
        id=f"edit-{number}",
        source="app",
        target=Target(kind="response", id="edited"),
        author=Author(kind="human", id="u"),
        text=text,
        native_id="one",
    )


@pytest.fixture(scope="module")
def lab(new_lab: Callable[[str], Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Contradicting copies, a text edited again and again, and a file of votes without times: each in one append."""
    lab = new_lab("ties")
    file = tmp_path_factory.mktemp("votes") / "votes.csv"
    file.write_text(VOTES)
    with open_log(None, lab.home.path) as log:
        pairs: list[AnyEvent] = [thumb(number, said) for number in range(SAME_IDS) for said in ("up", "down")]
        publish(log, [*pairs, *(edit(number, f"version {number}") for number in range(SAME_IDS))])
        import_file(log, lab.home, IMPORTERS["csv"], Path(file), {})
        Sink(log, lab.home).drain()
    lab.build()
    return lab


def test_of_contradicting_copies_in_one_append_the_first_stays(lab: Any) -> None:
    assert lab.ask("select distinct thumb from fct_feedback where event_id like 'tie-%'") == [("up",)]
    refused = "select count(*), count(distinct event_id) from stg_quarantine where event_id like 'tie-%'"
    assert lab.ask(refused) == [(SAME_IDS, SAME_IDS)]


def test_the_last_of_a_files_votes_without_times_counts(lab: Any) -> None:
    votes = lab.ask(
        "select thumb, is_current from fct_feedback where target_id = 'r1' order by log_partition, log_offset"
    )
    assert votes == [("up", False), ("down", False), ("up", True)]


def test_the_last_edit_of_a_text_counts(lab: Any) -> None:
    current = lab.ask("select text from fct_feedback where target_id = 'edited' and is_current")
    assert current == [(f"version {SAME_IDS - 1}",)]
