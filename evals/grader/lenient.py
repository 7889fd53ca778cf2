"""What grading by exit code would say: the agent's own tree, with its tests, its configuration and its runner.

Two commands that harnesses use are tried: pytest on the files that hold the task's tests, and on their ids; either will do.
"""

from pathlib import Path

from evals.cleanroom.bubblewrap import SITE, open_room
from evals.cleanroom.room import Room
from evals.grader.runs import files, limits
from evals.tasks.folder import Parts


def accepted(parts: Parts, theirs: Path, tools: Path) -> bool:
    """Whether pytest's exit code is 0 in the tree as the agent left it."""
    with open_room(theirs, tools=tools, limits=limits(parts)) as room:
        if _exits_with_0(room, files(parts)):
            return True
        return _exits_with_0(room, [*parts.task.fail_to_pass, *parts.task.pass_to_pass])


def _exits_with_0(room: Room, words: list[str]) -> bool:
    return room.run(["python3", "-m", "pytest", "-q", *words], env={"PYTHONPATH": f"/work:/work/src:{SITE}"}).ok
