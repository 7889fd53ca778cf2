# pyright: basic, reportMissingImports=false
"""A task that Inspect runs: its agents work in rooms of ours, and our grader scores what they leave.

    inspect eval evals/tasks/export/inspect_task.py -T folder=.flywheel/tasks --model ...

Runs where Inspect is installed beside Flywheel; nothing else of Flywheel imports it. Left out: events, which
`flywheel import` makes of Inspect's log.
"""

import asyncio
import shlex
import tempfile
from contextlib import ExitStack
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Score, accuracy, scorer, stderr
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import bash
from inspect_ai.util import ExecResult, SandboxEnvironment, sandbox, sandboxenv

from evals.cleanroom import Limits
from evals.cleanroom.bubblewrap import open_room
from evals.cleanroom.room import WORK
from evals.cleanroom.tools import tools
from evals.grader import grade
from evals.tasks.folder import contents, lay, read


@sandboxenv(name="flywheel")
class RoomSandbox(SandboxEnvironment):
    """A room of bubblewrap as Inspect's sandbox: no network, no history, one for each sample."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._stack = ExitStack()
        self.folder = folder
        parts = read(folder)
        place = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="flywheel-inspect-")))
        lay(contents(parts.tree), place / "tree")
        site = tools(parts.task.tools, place / "site", but_not=[parts.task.package])
        self.room = self._stack.enter_context(open_room(place / "tree", limits=Limits(), tools=site))

    @classmethod
    async def sample_init(cls, task_name, config, metadata):
        """One room for the sample."""
        del task_name, config
        return {"default": await asyncio.to_thread(cls, Path(metadata["folder"]))}

    @classmethod
    async def sample_cleanup(cls, task_name, config, environments, interrupted):
        """Close it."""
        del task_name, config, interrupted
        for environment in environments.values():
            await asyncio.to_thread(environment.as_type(RoomSandbox)._stack.close)

    async def exec(  # noqa: PLR0917
        self,
        cmd,
        input=None,  # noqa: A002
        cwd=None,
        env=None,
        user=None,
        timeout=None,
        timeout_retry=True,
        concurrency=True,
    ):
        """Run a command in the room. Raises TimeoutError where it takes too long."""
        del user, timeout_retry, concurrency
        stdin = input.encode() if isinstance(input, str) else input or b""
        ran = await asyncio.to_thread(
            lambda: self.room.run(cmd, stdin=stdin, env=env, seconds=timeout, cwd=_inside(cwd or "."))
        )
        if ran.ended == "timed out":
            raise TimeoutError(f"{shlex.join(cmd)} took more than {timeout} s")
        said = ran.stderr.decode(errors="replace")
        if ran.ended != "exited":
            said += f"\n[{ran.ended}]"
        code = ran.code if ran.code is not None else 137
        return ExecResult(code == 0, code, ran.stdout.decode(errors="replace"), said)

    async def write_file(self, file, contents):
        """Write it from inside, so that no link leads out."""
        content = contents.encode() if isinstance(contents, str) else contents
        script = 'mkdir -p "$(dirname "$1")" && cat > "$1"'
        ran = await asyncio.to_thread(lambda: self.room.run(["sh", "-c", script, "sh", _inside(file)], stdin=content))
        if not ran.ok:
            raise PermissionError(ran.stderr.decode(errors="replace"))

    async def read_file(self, file, text=True):
        """Read it from inside. Raises FileNotFoundError."""
        ran = await asyncio.to_thread(lambda: self.room.run(["cat", "--", _inside(file)]))
        if not ran.ok:
            raise FileNotFoundError(f"{file}: {ran.stderr.decode(errors='replace')}")
        return ran.stdout.decode() if text else ran.stdout


def _inside(path: str) -> str:
    return path if path.startswith("/") else f"{WORK}/{path}"


@scorer(metrics=[accuracy(), stderr()])
def strict():
    """1 only where our grader finds all tests passing in a tree of its own, and no tripwire."""

    async def score(state, target):
        del target
        room = sandbox().as_type(RoomSandbox)
        graded = await asyncio.to_thread(lambda: grade(room.folder, room.room.tree))
        if graded.status == "errored":
            raise RuntimeError(f"could not be graded: {graded.reason}")
        wires = [wire.model_dump() for wire in graded.tripwires]
        return Score(
            value=graded.strict,
            answer=f"{graded.fail_to_pass.passed} of {graded.fail_to_pass.total} tests",
            explanation="; ".join(f"{wire.name} at {wire.where}" for wire in graded.tripwires) or "nothing was tripped",
            metadata={"task_id": graded.task_id, "lenient": graded.lenient, "tripwires": wires},
        )

    return score


@task
def flywheel_tasks(folder: str, most: int = 1_000):
    """All tasks below `folder`, `most` of them, with a tool-using agent unless another solver is named."""
    samples = [
        Sample(
            id=path.parent.name,
            input=read(path.parent).task.instructions,
            target="1",
            metadata={"folder": str(path.parent.resolve())},
        )
        for path in sorted(Path(folder).glob("*/task.json"))[:most]
    ]
    if not samples:
        raise ValueError(f"{folder} has no tasks: flywheel tasks generate makes some")
    return Task(
        dataset=MemoryDataset(samples, name="flywheel_tasks"),
        solver=[use_tools(bash(timeout=180)), generate()], scorer=strict(), sandbox="flywheel",
    )  # fmt: skip
