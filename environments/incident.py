"""An incident: services that need each other, their logs, chat and documents, and one change that puts things right.

Whatever is changed is kept; health comes back with the right change alone. Left out: time that passes.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from environments.part import Arguments, Tool, text, tool, wrong
from environments.world import Answer

MOST_LINES = 40


class Service(BaseModel):
    """A program that runs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    needs: tuple[str, ...] = ()
    config: dict[str, str] = Field(default_factory=dict)
    deploys: tuple[tuple[str, str], ...]
    """(time, version), the oldest first; the last one runs."""


class Change(BaseModel):
    """Something that was done to a service."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    action: Literal["set_config", "roll_back", "restart"]
    service: str
    key: str | None = None
    value: str | None = None
    """Of a roll-back: the version."""


class Given(BaseModel):
    """What the part is made from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    services: dict[str, Service]
    logs: tuple[tuple[str, str, str], ...]
    """(time, service, line), in order."""
    channels: dict[str, tuple[str, ...]]
    documents: dict[str, str]
    sick: tuple[str, ...]
    """Services that are not healthy until the right change."""
    right: Change


class Incident:
    """Services that can be looked into and changed."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._given = Given.model_validate(given)
        self._config = {name: dict(service.config) for name, service in self._given.services.items()}
        self._versions = {name: service.deploys[-1][1] for name, service in self._given.services.items()}
        self._changes: list[Change] = []

    def tools(self) -> list[Tool]:
        """See `Part.tools`."""
        return [
            tool("check_health", "Which services are healthy.", self._health),
            tool("show_service", "A service's version, deploys, settings, and what it needs.", self._show,
                 service="string"),
            tool("search_logs", f"The last {MOST_LINES} lines of a service that hold a text.", self._logs, "text",
                 service="string", text="string"),
            tool("list_channels", "The channels of the chat.", self._channels),
            tool("read_channel", "What was said in a channel.", self._channel, channel="string"),
            tool("search_documents", "Titles of documents that hold a text.", self._search, text="string"),
            tool("read_document", "Read a document.", self._document, title="string"),
            tool("set_config", "Change one setting of a service.", self._set,
                 service="string", key="string", value="string"),
            tool("roll_back", "Run an older version of a service.", self._roll_back,
                 service="string", version="string"),
            tool("restart", "Restart a service.", self._restart, service="string"),
        ]  # fmt: skip

    def dormant(self) -> list[Tool]:
        """See `Part.dormant`."""
        return []

    def state(self) -> Any:
        """Whether all is healthy, and what was changed, in order."""
        changes = [each.model_dump(exclude_none=True) for each in self._changes]
        return {"healthy": self._healthy(), "changes": changes, "config": self._config, "versions": self._versions}

    def _healthy(self) -> bool:
        return self._given.right in self._changes

    def _health(self, arguments: Arguments) -> Answer:
        del arguments
        sick = () if self._healthy() else self._given.sick
        return Answer("\n".join(f"{name}: {'failing' if name in sick else 'healthy'}" for name in self._given.services))

    def _show(self, arguments: Arguments) -> Answer:
        name = text(arguments, "service")
        if name not in self._given.services:
            return self._no_service(name)
        service = self._given.services[name]
        return Answer(
            f"version: {self._versions[name]}\nneeds: {', '.join(service.needs) or 'nothing'}\ndeploys:\n"
            + "\n".join(f"  {time} {version}" for time, version in service.deploys)
            + "\nsettings:\n"
            + "\n".join(f"  {key} = {value}" for key, value in self._config[name].items())
        )

    def _logs(self, arguments: Arguments) -> Answer:
        name, wanted = text(arguments, "service"), text(arguments, "text", "").lower()
        if name not in self._given.services:
            return self._no_service(name)
        lines = [f"{time} {line}" for time, of, line in self._given.logs if of == name and wanted in line.lower()]
        return Answer("\n".join(lines[-MOST_LINES:])) if lines else wrong(f"{name} has no line with {wanted!r}")

    def _channels(self, arguments: Arguments) -> Answer:
        del arguments
        return Answer("\n".join(self._given.channels))

    def _channel(self, arguments: Arguments) -> Answer:
        name = text(arguments, "channel")
        lines = self._given.channels.get(name)
        return Answer("\n".join(lines)) if lines is not None else wrong(f"there is no channel {name!r}")

    def _search(self, arguments: Arguments) -> Answer:
        wanted = text(arguments, "text").lower()
        titles = [title for title, told in self._given.documents.items() if wanted in f"{title}\n{told}".lower()]
        return Answer("\n".join(titles)) if titles else wrong(f"no document holds {wanted!r}")

    def _document(self, arguments: Arguments) -> Answer:
        title = text(arguments, "title")
        told = self._given.documents.get(title)
        return Answer(told) if told is not None else wrong(f"there is no document {title!r}")

    def _set(self, arguments: Arguments) -> Answer:
        name, key, value = text(arguments, "service"), text(arguments, "key"), text(arguments, "value")
        if name not in self._given.services:
            return self._no_service(name)
        if key not in self._config[name]:
            return wrong(f"{name} has no setting {key!r}; it has {', '.join(self._config[name])}")
        self._config[name][key] = value
        self._changes.append(Change(action="set_config", service=name, key=key, value=value))
        return Answer(f"{name}: {key} = {value}")

    def _roll_back(self, arguments: Arguments) -> Answer:
        name, version = text(arguments, "service"), text(arguments, "version")
        if name not in self._given.services:
            return self._no_service(name)
        if version not in {each for _, each in self._given.services[name].deploys}:
            return wrong(f"{name} never ran version {version!r}: show_service says which it did")
        self._versions[name] = version
        self._changes.append(Change(action="roll_back", service=name, value=version))
        return Answer(f"{name} runs {version}")

    def _restart(self, arguments: Arguments) -> Answer:
        name = text(arguments, "service")
        if name not in self._given.services:
            return self._no_service(name)
        self._changes.append(Change(action="restart", service=name))
        return Answer(f"{name} was restarted")

    def _no_service(self, name: str) -> Answer:
        return wrong(f"there is no service {name!r}; there are: {', '.join(self._given.services)}")
