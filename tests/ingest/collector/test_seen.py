"""What is remembered of ids: over a restart, within bounds, and nothing of another log."""

from pathlib import Path

from ingest.collector.seen import CURRENT, Seen, id_hash


def ids(*numbers: int) -> list[bytes]:
    return [id_hash("web", str(number)) for number in numbers]


def marks(*numbers: int) -> list[tuple[bytes, bytes]]:
    return [(id_, number.to_bytes(8, "big")) for id_, number in zip(ids(*numbers), numbers, strict=True)]


def known(seen: Seen, *numbers: int) -> list[int]:
    found = seen.find(ids(*numbers))
    return [number for number, id_ in zip(numbers, ids(*numbers), strict=True) if id_ in found]


def test_a_restart_remembers_what_was_acknowledged(tmp_path: Path) -> None:
    first = Seen(tmp_path, "log", 100, 60)
    first.mark(marks(1, 2))
    second = Seen(tmp_path, "log", 100, 60)  # the first was killed
    assert second.find(ids(1, 2, 3)) == dict(marks(1, 2))
    second.close()
    first.close()


def test_an_entry_that_was_cut_off_is_no_entry(tmp_path: Path) -> None:
    seen = Seen(tmp_path, "log", 100, 60)
    seen.mark(marks(1, 2))
    seen.close()
    file = tmp_path / CURRENT
    file.write_bytes(file.read_bytes()[:-3])
    again = Seen(tmp_path, "log", 100, 60)
    again.mark(marks(3))
    again.close()
    assert known(Seen(tmp_path, "log", 100, 60), 1, 2, 3) == [1, 3]


def test_another_log_or_a_damaged_file_is_forgotten(tmp_path: Path) -> None:
    seen = Seen(tmp_path, "log", 100, 60)
    seen.mark(marks(1))
    seen.close()
    assert known(Seen(tmp_path, "another log", 100, 60), 1) == []
    (tmp_path / CURRENT).write_bytes(b"x")
    assert known(Seen(tmp_path, "log", 100, 60), 1) == []


def test_the_oldest_is_forgotten_by_number_and_by_age(tmp_path: Path) -> None:
    now = [0.0]
    seen = Seen(tmp_path, "log", 10, 100, clock=lambda: now[0])
    for number in range(12):
        seen.mark(marks(number))
    assert known(seen, *range(12)) == [5, 6, 7, 8, 9, 10, 11]
    now[0] = 60
    seen.mark(marks(20))
    now[0] = 120
    seen.mark(marks(21))
    assert known(seen, *range(22)) == [20, 21]
    seen.close()
    now[0] = 1_000
    assert known(Seen(tmp_path, "log", 10, 100, clock=lambda: now[0]), *range(22)) == []


def test_a_folder_that_cant_be_written_costs_only_the_restart(tmp_path: Path) -> None:
    (tmp_path / "folder").write_text("a file")
    seen = Seen(tmp_path / "folder", "log", 100, 60)
    seen.mark(marks(1))
    assert known(seen, 1) == [1]
