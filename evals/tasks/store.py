"""Where a home keeps its tasks, and the key that signs them.

<home>/tasks/<task_id>/     `evals.tasks.task`
<home>/tasks/.key           32 random bytes, readable by their owner alone
"""

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from pathlib import Path

from evals.tasks.folder import Parts, read
from ingest.durable import make_folder, put_if_absent
from ingest.home import Home
from models.errors import TerminalError
from models.ids import canonical_json
from models.specs import JsonValue


def tasks_folder(home: Home) -> Path:
    """Where the task folders lie."""
    return home.path / "tasks"


def task_ids(home: Home) -> list[str]:
    """The ids of all tasks that are there, sorted."""
    folder = tasks_folder(home)
    if not folder.is_dir():
        return []
    return sorted(path.parent.name for path in folder.glob("*/task.json") if not path.parent.name.startswith("."))


def find(home: Home, said: str) -> Path:
    """The folder of a task: by its id, the beginning of it that only one has, or a path to a folder anywhere.

    Raises TerminalError where there is none, or several.
    """
    given = Path(said)
    if "/" in said or (given.is_dir() and (given / "task.json").exists()):
        if not (given / "task.json").exists():
            raise TerminalError(f"{said} is no task: a task's folder has a task.json")
        return given
    known = task_ids(home)
    found = [each for each in known if each == said] or [each for each in known if each.startswith(said)]
    if not found:
        raise TerminalError(f"there is no task {said!r} in {tasks_folder(home)}: flywheel tasks list")
    if len(found) > 1:
        raise TerminalError(f"{said!r} is the beginning of {len(found)} tasks: {', '.join(found[:5])}: say more of it")
    return tasks_folder(home) / found[0]


def all_tasks(home: Home) -> list[Parts]:
    """Every task that can be read."""
    return [read(tasks_folder(home) / each) for each in task_ids(home)]


def signature(home: Home, said: Mapping[str, JsonValue]) -> str:
    """HMAC-SHA256 (hex) of `said` as canonical JSON, by the home's key: made on first use."""
    file = tasks_folder(home) / ".key"
    if not file.exists():
        make_folder(tasks_folder(home))
        put_if_absent(file, secrets.token_bytes(32))
        file.chmod(0o600)
    return hmac.new(file.read_bytes(), canonical_json(dict(said)).encode(), hashlib.sha256).hexdigest()
