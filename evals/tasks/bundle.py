"""Programs of ours for a room, as one command: their text goes along, so that nothing of ours lies in the room.

Left out: programs that import one another late; a module that is listed after another may import that one.
"""

import base64
import importlib.util
import json
import zlib
from pathlib import Path

FILES = {
    "calls": ("evals.tasks.values", "evals.tasks.inside.forks", "evals.tasks.inside.caller"),
    "server": (
        "evals.tasks.values", "evals.tasks.inside.forks", "evals.tasks.inside.caller", "evals.tasks.inside.arguments",
        "evals.tasks.inside.watch", "evals.tasks.inside.suite", "evals.tasks.inside.server",
    ),
}  # fmt: skip
"""Program -> its modules, each after those that it imports; the last has `main`."""

START = """
import base64, json, sys, types, zlib
told = json.loads(zlib.decompress(base64.b64decode(sys.argv.pop(1))))
for name, text in told:
    parent = ""
    for part in name.split(".")[:-1]:
        parent = f"{parent}.{part}" if parent else part
        sys.modules.setdefault(parent, types.ModuleType(parent)).__path__ = []
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(text, f"<{name}>", "exec"), module.__dict__)
for name in [each for each in sys.modules if each.split(".")[0] == "evals"]:
    del sys.modules[name]
module.main()
"""


def command(program: str) -> list[str]:
    """The words that run `program` ("calls" or "server") in a room. Its modules' names are free again when it runs."""
    told = [(name, _text(name)) for name in FILES[program]]
    packed = base64.b64encode(zlib.compress(json.dumps(told).encode(), 9)).decode()
    return ["python3", "-P", "-c", START, packed]


def _text(name: str) -> str:
    spec = importlib.util.find_spec(name)
    assert spec and spec.origin, name
    return Path(spec.origin).read_text(encoding="utf-8")
