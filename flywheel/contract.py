"""`python -m flywheel.contract`: is the contract of this tree kept, and recorded? Part of `make check`.

`docs/asyncapi.json` is the record: made from the models by `make contract`, which only ever adds. It needs no git
history, so that it says the same in a tarball.
"""

import json
import sys
from pathlib import Path

from ingest.durable import replace
from models.asyncapi import document
from models.compatibility import breaks
from models.errors import TerminalError
from models.events.base import Json

RECORD = Path(__file__).parents[1] / "docs/asyncapi.json"


def text(content: Json) -> str:
    """The document as it is recorded."""
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def check(recorded: str, new: Json) -> None:
    """Raises TerminalError, with a line for each break, where `new` breaks what is recorded."""
    found = breaks(json.loads(recorded), new)
    if found:
        lines = "\n".join(f"  {each}" for each in found)
        raise TerminalError(
            f"the contract is broken:\n{lines}\n"
            "Take it back, or leave the event as it is and give the change a new version: a class whose type ends in "
            "the next .v<n>, and a step in models/events/upcast.py that brings the old one to it."
        )


def main(record: bool) -> None:
    """Check the tree against the record; with `record`, add to it what is new. Raises TerminalError."""
    new = document()
    old = RECORD.read_text() if RECORD.exists() else None
    if old is not None:
        check(old, new)
    if old == text(new):
        print(f"{RECORD.name} is up to date: {len(new['components']['messages'])} event types, none broken")  # noqa: T201
    elif record:
        replace(RECORD, text(new).encode())
        print(f"recorded in {RECORD}")  # noqa: T201
    else:
        raise TerminalError(
            f"{RECORD.name} is not what the models say, though nothing is broken: run `make contract` and commit it"
        )


if __name__ == "__main__":
    try:
        main(record="--record" in sys.argv[1:])
    except TerminalError as error:
        sys.exit(f"contract: {error}")
