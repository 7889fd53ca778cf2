from pathlib import Path

from ingest.jobs.saved_state import latest_state, save_state


def test_the_newest_state_is_the_one_to_go_on_from(tmp_path: Path) -> None:
    for step in (1, 5, 40):
        save_state(tmp_path, step, f"after {step}".encode())
    state = latest_state(tmp_path)
    assert state is not None
    assert (state.step, state.content) == (40, b"after 40")
    assert len(list(tmp_path.glob("*.bin"))) == 2


def test_one_that_was_cut_short_is_passed_over(tmp_path: Path) -> None:
    for step in (9, 10):
        save_state(tmp_path, step, f"after {step}".encode())
    newest = tmp_path / f"state-{10:012d}.bin"
    newest.write_bytes(newest.read_bytes()[:-1])
    state = latest_state(tmp_path)
    assert state is not None
    assert state.step == 9


def test_nothing_was_saved(tmp_path: Path) -> None:
    assert latest_state(tmp_path / "never") is None
