"""What a report says of the time since the last one, on names and counts alone."""

import pytest

from flywheel.report.changes import Mode, Snapshot, changes, load


def snapshot(build: int, total: int, **modes: Mode) -> Snapshot:
    return Snapshot(build, f"2026-11-{build:02d}", total, modes)


def test_births_renames_statuses_and_what_is_gone() -> None:
    before = snapshot(1, 100, a=Mode("A", "proposed", 5), b=Mode("B", "accepted", 5), c=Mode("C", "seeded", 0))
    now = snapshot(2, 100, a=Mode("A", "accepted", 5), b=Mode("Bee", "accepted", 5), d=Mode("D", "proposed", 3))
    found = changes(before, now)
    assert found == ([("D")], [("A", "proposed", "accepted")], [("B", "Bee")], ["C"], [], [])
    assert not found.nothing
    assert changes(now, now).nothing


def test_a_share_that_moved_is_told_and_one_that_did_not_is_not() -> None:
    before = snapshot(
        1, 1000, up=Mode("Up", "seeded", 50), same=Mode("Same", "seeded", 50), down=Mode("Down", "seeded", 300)
    )
    now = snapshot(
        2, 1200, up=Mode("Up", "seeded", 110), same=Mode("Same", "seeded", 61), down=Mode("Down", "seeded", 310)
    )
    found = changes(before, now)
    assert [(move.name, move.ratio) for move in found.risen] == [("Up", pytest.approx(6))]
    assert [move.name for move in found.fallen] == ["Down"]
    (up,) = found.risen
    assert up.high is not None
    assert 1 < up.low < 6 < up.high


def test_nothing_new_or_fewer_than_before_is_no_move() -> None:
    many = snapshot(1, 1000, a=Mode("A", "seeded", 400))
    assert changes(many, many).risen == []
    assert changes(many, snapshot(2, 1100, a=Mode("A", "seeded", 10))) == ([], [], [], [], [], [])
    assert changes(snapshot(1, 0), snapshot(2, 50, a=Mode("A", "seeded", 9))).risen == []


def test_what_was_written_is_read_again() -> None:
    one = snapshot(3, 7, a=Mode('A "mode", <b>', "seeded", 7))
    assert load(b"[" + one.dump() + b"]") == [one]
    with pytest.raises((ValueError, KeyError, TypeError)):
        load(b'[{"build": 1}]')
