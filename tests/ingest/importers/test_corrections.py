"""A file that was read wrongly is read again: the corrected import takes the first one's place."""

from typing import Any

import pytest

from ingest.sink import Sink
from models.errors import TerminalError

SHEET = "date,text,user\n02/11/2026,slow,u1\n2026-11-03,wrong,u2\n"


def corrected(place: Any, text: str, earlier: str, **options: str) -> Any:
    return place.table(text, corrects=earlier, **options)


def test_another_reading_says_which_import_it_contradicts(place: Any) -> None:
    first = place.table(SHEET, dates="mdy")
    second = place.table(SHEET, dates="dmy")
    assert (second.events_quarantined, second.duplicate) == (1, 1)
    assert second.contradicts == {first.file_import_id: 1}


def test_a_correction_writes_every_row_again_under_ids_of_its_own(place: Any) -> None:
    first = place.table(SHEET, dates="mdy")
    account = corrected(place, SHEET, first.file_import_id, dates="dmy")
    assert (account.accepted, account.duplicate, account.events_quarantined) == (2, 0, 0)
    assert place.events("imports")[-1].corrects == first.file_import_id
    assert len({event.id for event in place.events("feedback")}) == 4
    assert corrected(place, SHEET, first.file_import_id, dates="dmy").already_imported


@pytest.mark.parametrize("landed", [False, True])
def test_a_file_that_has_grown_since_adds_only_its_new_rows(place: Any, landed: bool) -> None:
    first = place.table(SHEET, dates="mdy")
    corrected(place, SHEET, first.file_import_id, dates="dmy")
    if landed:
        Sink(place.log, place.home).drain()
    account = place.table(SHEET + "04/11/2026,new,u3\n", dates="dmy")
    assert (account.accepted, account.duplicate, account.events_quarantined) == (1, 2, 0)


def test_back_to_the_first_reading(place: Any) -> None:
    first = place.table(SHEET, dates="mdy")
    second = corrected(place, SHEET, first.file_import_id, dates="dmy")
    third = corrected(place, SHEET, second.file_import_id, dates="mdy")
    assert (third.accepted, third.duplicate, third.events_quarantined) == (2, 0, 0)


def test_what_can_not_be_corrected_is_said(place: Any) -> None:
    with pytest.raises(TerminalError, match="no finished import import-0 of format csv here"):
        corrected(place, SHEET, "import-0")
    assert place.events("feedback") == []
    event: dict[str, Any] = {
        "specversion": "1.0",
        "id": "1",
        "source": "/x",
        "type": "com.example.feedback.thumb.set.v1",
        "data": {},
    }
    with pytest.raises(TerminalError, match="brings ids of its own"):
        place.rows("cloudevents", [event], corrects="import-0")


def test_a_rating_without_its_scale_is_taken_with_a_warning(place: Any) -> None:
    ratings = "target,score\nr1,4\nr2,👍\nr3,2\n"
    assert list(place.table(ratings).warnings.values()) == [2]
    assert not place.table(ratings, scale="1..5").warnings
