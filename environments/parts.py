"""The parts of local worlds by name. A new one is a file and a line here."""

from collections.abc import Callable
from typing import Any

from environments.files import Files
from environments.part import Part
from environments.tool_server import ToolServer

PARTS: dict[str, Callable[[Any], Part]] = {"files": Files, "tools": ToolServer}
