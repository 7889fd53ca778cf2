"""The parts of local worlds by name. A new one is a file and a line here."""

from collections.abc import Callable
from typing import Any

from environments.application import Application
from environments.files import Files
from environments.incident import Incident
from environments.part import Part
from environments.skills import Skills
from environments.tool_server import ToolServer

PARTS: dict[str, Callable[[Any], Part]] = {
    "application": Application,
    "files": Files,
    "incident": Incident,
    "skills": Skills,
    "tools": ToolServer,
}
