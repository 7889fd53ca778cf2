"""`policies.yml` of the home: how checkpoints are asked. A key is named by its environment variable, never written."""

import math
from pathlib import Path
from typing import Annotated, Any, cast

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ingest.home import Home
from models.errors import TerminalError

FILE = "policies.yml"

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Prices(BaseModel):
    """US dollars for a million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompt: float = Field(ge=0, allow_inf_nan=False)
    completion: float = Field(ge=0, allow_inf_nan=False)

    def usd(self, prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
        """The price of a reply. None where the tokens are not known: unknown is not free."""
        if prompt_tokens is None or completion_tokens is None:
            return None
        return math.fsum((self.prompt * prompt_tokens, self.completion * completion_tokens)) / 1e6


class Asking(BaseModel):
    """What every kind of policy may be told."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    parallel: int = Field(default=8, ge=1, le=1024)
    """Attempts at once."""
    max_tokens: int | None = Field(default=None, ge=1)
    """Of one reply; None: the model's own limit."""
    temperature: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """None: the endpoint's own; 0 for a local checkpoint."""
    seeded: bool = False
    """Whether requests carry a seed, made of sample and trial. A local checkpoint is always seeded."""
    system: str | None = None
    """A system message before each conversation."""


class EndpointEntry(Asking):
    """A model behind an OpenAI-compatible endpoint."""

    url: str
    """With the version, as in `http://host:8000/v1`."""
    model: str
    key_env: str | None = None
    """The name of the environment variable that holds the key."""
    usd_per_million: Prices | None = None
    requests_per_minute: Positive | None = None
    tokens_per_minute: Positive | None = None
    seconds: Positive = 300.0
    """A single request may take so long."""
    tries: int = Field(default=5, ge=1, le=100)
    extra: dict[str, Any] = Field(default_factory=dict[str, Any])
    """More fields of the request."""


class AnswersEntry(Asking):
    """Answers once given: a file of JSON lines, relative to the home."""

    answers: str
    parallel: int = 1


class LocalEntry(Asking):
    """Settings of a checkpoint whose folder the log names."""


Entry = EndpointEntry | AnswersEntry | LocalEntry

_KINDS: TypeAdapter[dict[str, dict[str, Any]]] = TypeAdapter(dict[str, dict[str, Any]])


def entries(home: Home) -> dict[str, Entry]:
    """Checkpoint id -> how it is asked; empty where the home has no such file. Raises TerminalError for a bad one."""
    path = home.path / FILE
    try:
        said: Any = yaml.safe_load(path.read_text())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise TerminalError(f"{path} can't be read: {error}") from error
    try:
        named = _KINDS.validate_python(said or {})
    except ValidationError as error:
        raise TerminalError(f"{path}: {_first(error)}; it maps checkpoints to settings: docs/evals.md") from error
    return {name: _entry(path, name, settings) for name, settings in named.items()}


def _entry(path: Path, name: str, settings: dict[str, Any]) -> Entry:
    kind = EndpointEntry if "url" in settings else AnswersEntry if "answers" in settings else LocalEntry
    if {"key", "api_key", "token"} & settings.keys():
        raise TerminalError(
            f"{path}, {name}: a key must not stand in this file: put it in an environment variable, and name that one "
            "as key_env"
        )
    try:
        return kind.model_validate(settings)
    except ValidationError as error:
        raise TerminalError(f"{path}, {name}: {_first(error)}") from error


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(str(part) for part in cast('tuple[Any, ...]', first['loc']))}: {first['msg']}"
