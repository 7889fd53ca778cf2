"""SWE-agent's trajectories: one file a run (or the folder of them), in each generation of the format.

`history` is what was said, `trajectory` what was done: older runs write a command into the text, newer ones call tools,
some have only one of the two. The command is the call, what came back the tool's answer. The file's name is the run's,
since nothing in it is. Left out: the state of the shell, the tools' configuration.
"""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import PurePath
from typing import Any, Literal, cast

from ingest.importers.base import UNNAMED, Context, Importer, Refused, Unfit, identified, inner, listed, text_of
from ingest.importers.folders import in_folder
from ingest.importers.json_rows import read_objects
from ingest.importers.messages import calls, role_of, text_in, with_room
from ingest.importers.sample import Sample
from ingest.importers.votes import as_float
from models.events import AnyEvent
from models.events.base import Json
from models.events.response import ResponseServed
from models.events.rollout import RolloutRecorded, Step, ToolCall
from models.feedback import LONGEST_NAME

SOURCE = "import/swe_agent"
FILES = "*.traj *.traj.gz **/*.traj **/*.traj.gz"
OUTCOMES: tuple[tuple[str, Literal["finished", "timed_out", "out_of_steps", "failed"]], ...] = (
    ("submitted", "finished"),
    ("timeout", "timed_out"),
    ("cost", "out_of_steps"),
    ("context", "out_of_steps"),
    ("", "failed"),
)
"""A part of the exit status -> how the run ended, the first that holds."""


def events(row: Json, context: Context) -> list[AnyEvent]:
    """The rollout, and what was submitted as its response. Raises Unfit for another kind of file."""
    history, turns = _list(row.get("history")), _list(row.get("trajectory"))
    if not (history or turns):
        raise Unfit("not a trajectory of SWE-agent: it needs a history or a trajectory")
    name = re.sub(r"\.traj(\.gz)?$", "", PurePath(str(row["_file"])).name)
    rollout_id = f"swe-agent/{name}"[:LONGEST_NAME]
    found = with_room(list(_steps(history, turns)))
    info, source = inner(row, "info"), context.source(SOURCE)
    status = text_of(info.get("exit_status"))
    model = text_of(inner(inner(inner(row, "replay_config"), "agent"), "model").get("name"))
    response = ResponseServed(
        id=UNNAMED,
        source=source,
        response_id=rollout_id,
        prompt=next((step.text for step in reversed(_before(found)) if step.role == "user"), None),
        completion=info.get("submission") if isinstance(info.get("submission"), str) else None,
        conversation_id=rollout_id,
        model=model,
        audience="internal",
        cost_usd=as_float(inner(info, "model_stats").get("instance_cost")),
        tool_calls=sum(len(step.calls) for step in found),
    )
    rollout = RolloutRecorded(
        id=UNNAMED,
        source=source,
        rollout_id=rollout_id,
        steps=found,
        response_id=rollout_id,
        conversation_id=rollout_id,
        task_id=_task(name),
        model=model,
        outcome=None if status is None else next(outcome for part, outcome in OUTCOMES if part in status),
        outcome_detail=status,
        audience="internal",
    )
    return [identified(response, rollout_id), identified(rollout, rollout_id)]


def _steps(history: list[Json], turns: list[Json]) -> Iterator[Step]:
    """What was said, each answer of the agent's with the turn that it is; then the turns that were not said again."""
    done, turn = iter(turns), cast(Json, {})
    asked: tuple[ToolCall, ...] = ()
    for message in history:
        role, text = role_of(message), text_in(message.get("content"))
        if role == "assistant" and not message.get("is_demo"):
            turn = next(done, cast(Json, {}))
            asked = calls(message) or _command(message.get("action"))
            yield Step(role=role, text=text, calls=asked)
        elif role in ("tool", "user") and asked:
            yield _answer(text, asked, turn, message)
            asked = ()
        else:
            yield Step(role=role, text=text)
    if asked and turn.get("observation"):
        yield _answer(text_in(turn["observation"]), asked, turn, {})
    for rest in islice(done, None):
        command = _command(rest.get("action"))
        yield Step(role="assistant", text=text_in(rest.get("response") or rest.get("thought")), calls=command)
        if command:
            yield _answer(text_in(rest.get("observation")), command, rest, {})


def _answer(text: str | None, asked: tuple[ToolCall, ...], turn: Json, message: Json) -> Step:
    ids = listed(message, "tool_call_ids")
    return Step(
        role="tool",
        text=text,
        tool=asked[0].tool,
        call_id=text_of(ids[0]) if ids else asked[0].call_id,
        seconds=as_float(turn.get("execution_time")),
    )


def _command(action: Any) -> tuple[ToolCall, ...]:
    """A command as a call: its first word is the tool, the whole of it the arguments."""
    words = action.split(maxsplit=1) if isinstance(action, str) else []
    return (ToolCall(tool=words[0][:LONGEST_NAME], arguments=str(action).strip()),) if words else ()


def _before(found: tuple[Step, ...]) -> list[Step]:
    """The steps before the agent's first."""
    first = next((place for place, step in enumerate(found) if step.role == "assistant"), len(found))
    return list(found[:first])


def _task(name: str) -> str | None:
    """`marshmallow-code__marshmallow-1867` at the end of the run's name, where it has such an end."""
    found = re.search(r"__install-\d(?:___.*?|__[0-9a-f]{6})?__(.+)$", name)
    return found[1] if found else None


def _list(content: Any) -> list[Json]:
    if content is not None and not isinstance(content, list):
        raise Refused(f"a history or trajectory is {type(content).__name__}, not a list")
    return [cast(Json, each) for each in cast(list[Any], content or []) if isinstance(each, dict)]


def _fits(sample: Sample) -> bool:
    named = re.search(r"\.traj(\.gz)?$", sample.path.name) is not None
    return sample.any_row("history", "trajectory", "info") or (named and sample.any_row("history"))


SWE_AGENT = Importer(
    "swe-agent",
    "Trajectories, a file or the folder of them: instance.traj, trajectories/",
    in_folder(FILES, read_objects),
    events,
    SOURCE,
    fits=_fits,
    topics=("responses",),
    folder=FILES,
    named=True,
)
