"""What grading by exit code would say: the agent's own tree, with its tests, its configuration and its runner.

Two commands that harnesses use are tried: pytest on the ids of the task's tests, and on the files that hold them;
either will do.
"""

import tempfile
from pathlib import Path

from evals.cleanroom.bubblewrap import SITE, open_room
from evals.cleanroom.room import Limits, Ran, Room
from evals.grader.candidate import look_at
from evals.grader.runs import files
from evals.tasks.folder import Parts


def accepted(parts: Parts, theirs: Path, tools: Path, most: Limits) -> bool:
    """Whether pytest's exit code is 0 in the tree as the agent left it."""
    with (
        tempfile.TemporaryDirectory(prefix="flywheel-lenient-") as home,
        open_room(_copy(theirs, home), tools=tools, limits=most) as room,
    ):
        ran = _pytest(room, [*parts.task.fail_to_pass, *parts.task.pass_to_pass])
        if ran.ok or ran.ended != "exited":
            return ran.ok
        return _pytest(room, files(parts)).ok


def _copy(theirs: Path, home: str) -> Path:
    """The tree as it was left, but for what is no plain file or link, and would stop a copy."""
    tree = Path(home) / "tree"
    tree.mkdir()
    for path, content in look_at(theirs).items():
        try:
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, str):
                (tree / path).symlink_to(content)
            else:
                (tree / path).write_bytes(content)
        except OSError:
            continue
    return tree


def _pytest(room: Room, words: list[str]) -> Ran:
    return room.run(["python3", "-m", "pytest", "-q", *words], env={"PYTHONPATH": f"/work:/work/src:{SITE}"})
