"""The spool: bounded, whole lines only, found again after its owner has died, and nobody else's before."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from flywheel_client.memory import Memory
from flywheel_client.spool import LOCK, NEW, Spool

BOUND = 16_000


@pytest.fixture
def new_spool(tmp_path: Path) -> Iterator[Callable[[], Spool]]:
    made: list[Spool] = []

    def new() -> Spool:
        made.append(Spool(tmp_path, BOUND))
        return made[-1]

    yield new
    for spool in made:
        spool.abandon()


NewSpool = Callable[[], Spool]


def lines(first: int, last: int, size: int = 100) -> list[bytes]:
    return [str(number).encode().rjust(size, b"0") for number in range(first, last)]


def fill(queue: Spool | Memory, content: list[bytes]) -> int:
    return sum(queue.append(line) for line in content)


def drain(queue: Spool | Memory, events: int = 7, size: int = 10_000) -> list[bytes]:
    found: list[bytes] = []
    while batch := queue.take(events, size):
        assert queue.take(events, size) == batch  # it stays until it is done
        queue.done()
        found += batch
    return found


def test_what_goes_in_comes_out_in_order(new_spool: NewSpool, tmp_path: Path):
    spool = new_spool()
    content = lines(0, 100)
    assert fill(spool, content) == 0
    assert spool.waiting == 100
    assert len(list(tmp_path.rglob("*.ndjson"))) > 5
    assert drain(spool) == content
    assert (spool.waiting, spool.entered, spool.left, spool.size) == (0, 100, 100, 0)
    assert list(tmp_path.rglob("*.ndjson")) == []


def test_a_batch_has_its_bounds_but_one_event_always_goes(new_spool: NewSpool):
    for queue in (new_spool(), Memory(100)):
        fill(queue, lines(0, 9))
        assert len(queue.take(4, 10_000)) == 4
        assert len(queue.take(100, 250)) == 2
        assert len(queue.take(100, 5)) == 1


def test_writing_goes_on_while_a_batch_is_away(new_spool: NewSpool):
    for queue in (new_spool(), Memory(100)):
        fill(queue, lines(0, 3))
        batch = queue.take(10, 10_000)
        fill(queue, lines(3, 30))
        queue.done()
        assert batch + drain(queue) == lines(0, 30)


def test_a_full_spool_drops_the_oldest_and_counts_them(new_spool: NewSpool, tmp_path: Path):
    spool = new_spool()
    dropped = fill(spool, lines(0, 1_000))
    assert 0 < dropped < 1_000
    assert sum(path.stat().st_size for path in tmp_path.rglob("*.ndjson")) == spool.size <= BOUND
    assert spool.waiting == 1_000 - dropped
    assert drain(spool) == lines(dropped, 1_000)


def test_what_is_on_its_way_is_not_dropped(new_spool: NewSpool):
    spool = new_spool()
    fill(spool, lines(0, 5))
    batch = spool.take(10, 10_000)
    dropped = fill(spool, lines(5, 1_000))
    spool.done()
    assert batch == lines(0, 5)
    rest = drain(spool)
    assert len(batch) + len(rest) + dropped == 1_000
    assert rest[0] == lines(5, 6)[0], "its segment stays whole"


def test_memory_drops_the_oldest_that_is_not_on_its_way():
    memory = Memory(10)
    fill(memory, lines(0, 10))
    batch = memory.take(4, 10_000)
    assert fill(memory, lines(10, 13)) == 3
    memory.done()
    assert batch + drain(memory) == lines(0, 4) + lines(7, 13)
    assert memory.entered == memory.left == 13
    fill(memory, lines(0, 10))
    memory.take(10, 10_000)
    assert memory.append(b"one more") == 1
    assert memory.empty() == []


def test_an_event_that_no_spool_can_hold_is_said(new_spool: NewSpool):
    with pytest.raises(OSError, match="larger than the spool"):
        new_spool().append(b"x" * BOUND)


def test_a_spool_is_left_alone_while_its_owner_lives(new_spool: NewSpool):
    owner, other = new_spool(), new_spool()
    fill(owner, lines(0, 10))
    assert other.adopt() == 0
    assert drain(owner) == lines(0, 10)


def test_what_an_owner_left_is_adopted_once(new_spool: NewSpool, tmp_path: Path):
    owner, heir, late = new_spool(), new_spool(), new_spool()
    fill(owner, lines(0, 40))
    owner.take(7, 10_000)
    owner.done()
    owner.close()
    fill(heir, lines(40, 45))
    assert heir.adopt() == 40  # seven are sent again, which is harmless: ids make them so
    fill(heir, lines(45, 50))
    assert late.adopt() == 0
    assert sorted(drain(heir)) == lines(0, 50)
    heir.close()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_line_that_its_writer_was_killed_in_is_no_event(new_spool: NewSpool, tmp_path: Path):
    owner, heir = new_spool(), new_spool()
    fill(owner, lines(0, 3))
    (segment,) = tmp_path.rglob("*.ndjson")
    with segment.open("ab") as file:
        file.write(b'{"half')
    owner.close()
    assert heir.adopt() == 3
    fill(heir, lines(3, 5))
    assert drain(heir) == lines(0, 5)


def test_a_segment_that_someone_removed_is_counted_as_lost(new_spool: NewSpool, tmp_path: Path):
    spool = new_spool()
    fill(spool, lines(0, 5))
    (segment,) = tmp_path.rglob("*.ndjson")
    segment.unlink()
    with pytest.raises(FileNotFoundError):
        spool.take(10, 10_000)
    assert spool.lose() == 5
    assert spool.waiting == 0
    fill(spool, lines(5, 8))
    assert drain(spool) == lines(5, 8)


def test_a_folder_that_is_being_made_is_not_adopted_but_one_left_so_is(new_spool: NewSpool, tmp_path: Path):
    folder = tmp_path / f"{NEW}x"
    folder.mkdir()
    (folder / LOCK).touch()
    assert new_spool().adopt() == 0
    assert folder.exists()
    os.utime(folder, (0, 0))
    assert new_spool().adopt() == 0
    assert not folder.exists()


def test_only_their_user_may_read_what_people_wrote(new_spool: NewSpool, tmp_path: Path):
    fill(new_spool(), lines(0, 1))
    for path in tmp_path.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path
