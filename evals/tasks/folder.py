"""Task folders, written whole or not at all, and read back. Archives are the same to the byte for the same files.

Left out: links, owners and modes but that of a script.
"""

import hashlib
import io
import json
import shutil
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from evals.tasks.task import Hidden, Task
from models.errors import TerminalError


class Parts(NamedTuple):
    """All that a task folder holds, in memory."""

    task: Task
    tree: bytes
    tests: bytes
    gold: bytes
    patch: str
    hidden: Hidden


def archive(files: Mapping[str, bytes]) -> bytes:
    """A tar of `files`: in order of their paths, of 1970, of nobody."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(files):
            entry = tarfile.TarInfo(path)
            entry.size = len(files[path])
            entry.mode = 0o755 if files[path].startswith(b"#!") else 0o644
            tar.addfile(entry, io.BytesIO(files[path]))
    return out.getvalue()


def contents(tar: bytes) -> dict[str, bytes]:
    """Path -> content of the files in `tar`. Raises TerminalError for paths that lead out of it."""
    found: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(tar)) as opened:
        for entry in opened:
            if not entry.isfile():
                continue
            if entry.name.startswith("/") or ".." in entry.name.split("/"):
                raise TerminalError(f"the archive holds {entry.name!r}, which leads out of the tree")
            file = opened.extractfile(entry)
            assert file
            found[entry.name] = file.read()
    return found


def lay(files: Mapping[str, bytes], into: Path) -> None:
    """Write `files` below `into`, which need not be there."""
    into.mkdir(parents=True, exist_ok=True)
    for path, content in files.items():
        target = into / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        if content.startswith(b"#!"):
            target.chmod(0o755)


def write(out: Path, parts: Parts) -> Path:
    """The folder of a task below `out`; one that is there is left as it is, since equal ids mean equal tasks."""
    folder, partial = out / parts.task.task_id, out / f".{parts.task.task_id}.partial"
    if folder.exists():
        return folder
    shutil.rmtree(partial, ignore_errors=True)
    (partial / "private").mkdir(parents=True)
    (partial / "task.json").write_text(parts.task.model_dump_json(indent=2) + "\n", encoding="utf-8")
    (partial / "tree.tar").write_bytes(parts.tree)
    (partial / "private/tests.tar").write_bytes(parts.tests)
    (partial / "private/gold.tar").write_bytes(parts.gold)
    (partial / "private/gold.patch").write_text(parts.patch, encoding="utf-8")
    (partial / "private/hidden.json").write_text(dumped(parts.hidden), encoding="utf-8")
    partial.rename(folder)
    return folder


def dumped(hidden: Hidden) -> str:
    """Hidden cases as text: what `Task.hidden_sha256` is of."""
    return json.dumps(hidden.model_dump(mode="json"), sort_keys=True, indent=1) + "\n"


def sha256(content: bytes) -> str:
    """Hex digest."""
    return hashlib.sha256(content).hexdigest()


def read(folder: Path) -> Parts:
    """The task in `folder`. Raises TerminalError where a file is missing, changed, or not of this shape."""
    try:
        task = Task.model_validate_json((folder / "task.json").read_bytes())
        private = folder / "private"
        hidden = (private / "hidden.json").read_bytes()
        parts = Parts(
            task,
            (folder / "tree.tar").read_bytes(),
            (private / "tests.tar").read_bytes(),
            (private / "gold.tar").read_bytes(),
            (private / "gold.patch").read_text(encoding="utf-8"),
            Hidden.model_validate_json(hidden),
        )
    except FileNotFoundError as error:
        raise TerminalError(f"{folder} is no task: {Path(str(error.filename)).name} is missing") from error
    except ValidationError as error:
        raise TerminalError(f"{folder} is no task: {error.errors()[0]['msg']} ({error.title})") from error
    said = (task.tree_sha256, task.tests_sha256, task.gold_sha256, task.hidden_sha256)
    for name, digest, content in zip(
        ("tree.tar", "private/tests.tar", "private/gold.tar", "private/hidden.json"),
        said,
        (parts.tree, parts.tests, parts.gold, hidden),
        strict=True,
    ):
        if sha256(content) != digest:
            raise TerminalError(
                f"{folder / name} is not what task.json says: its digest differs; generate the task anew"
            )
    return parts


def remove(folder: Path) -> None:
    """Take a task folder away."""
    shutil.rmtree(folder)


def rate(folder: Path, agent: Callable[[Path], float]) -> float:
    """Measure a task with the baseline agent, and keep its pass rate in `task.json`."""
    passed = agent(folder)
    task = read(folder).task
    measured = task.model_copy(update={"difficulty": task.difficulty.model_copy(update={"pass_rate": passed})})
    (folder / "task.json").write_text(measured.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return passed
