"""Tasks as a folder for Inspect: a script that it is given, with the task folders beside it."""

import shutil
from pathlib import Path

SCRIPT = '''"""Tasks made by Flywheel. They want Flywheel beside Inspect, whose rooms and grader they use."""

from pathlib import Path

from inspect_ai import task

from evals.tasks.export.inspect_task import RoomSandbox, flywheel_tasks


@task
def tasks(most: int = 1_000):
    """All tasks of this folder."""
    return flywheel_tasks(str(Path(__file__).parent / "tasks"), most)


__all__ = ["RoomSandbox", "tasks"]
'''


def write_inspect(tasks: Path, into: Path) -> Path:
    """Copy the task folders below `tasks` into `into`, and answer the script that `inspect eval` is given."""
    for found in sorted(tasks.glob("*/task.json")):
        shutil.copytree(found.parent, into / "tasks" / found.parent.name, dirs_exist_ok=True)
    script = into / "tasks.py"
    script.write_text(SCRIPT, encoding="utf-8")
    return script
