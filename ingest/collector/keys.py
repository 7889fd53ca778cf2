"""API keys: who may write what, under which source. Kept as hashes in the home; a key itself is shown once.

A key is 256 random bits, so that a plain SHA-256 of it can't be guessed back; a slow hash would only slow us down.
"""

import hmac
import json
import re
import secrets
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from ingest.durable import replace
from ingest.home import Home
from models.errors import TerminalError
from models.events.base import at
from models.feedback import Name

Scope = Literal["feedback", "experiments", "erase", "internal", "viewer", "reader"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
ANY_SOURCE = "*"
SHAPE = re.compile(r"fw_([0-9a-f]{12})_[A-Za-z0-9_-]{43}")


class ApiKey(BaseModel):
    """What is known of a key. Its first part, the id, is no secret."""

    model_config = ConfigDict(frozen=True)

    key_id: str
    name: Name
    source: Name
    """It may write as this source and those below it (`web`, `web/checkout`); `*` is any."""
    scopes: tuple[Scope, ...]
    sha256: str
    created_at: str
    revoked_at: str | None = None

    def may_write_as(self, source: str) -> bool:
        """Whether events of `source` may be written with it."""
        return self.source in (ANY_SOURCE, source) or source.startswith(f"{self.source}/")

    @property
    def default_source(self) -> str:
        """The source of an event that names none."""
        return self.name if self.source == ANY_SOURCE else self.source


OPEN = ApiKey(key_id="open", name="local", source=ANY_SOURCE, scopes=SCOPES, sha256="", created_at="")
"""Stands in for a key where none is asked for: on the loopback interface, for the person at this machine."""

_KEYS: TypeAdapter[list[ApiKey]] = TypeAdapter(list[ApiKey])


def keys_file(home: Home) -> Path:
    """Where the hashes lie."""
    return home.path / "collector" / "keys.json"


def create(home: Home, name: str, source: str, scopes: tuple[Scope, ...]) -> tuple[ApiKey, str]:
    """A new key as it is kept, and the key itself, which nobody can show again.

    Raises TerminalError for a name that is taken, and for a name or source that is none: empty, too long, no text.
    """
    key_id = secrets.token_hex(6)
    secret = f"fw_{key_id}_{secrets.token_urlsafe(32)}"
    try:
        key = ApiKey(
            key_id=key_id,
            name=name,
            source=source,
            scopes=scopes,
            sha256=_hash(secret),
            created_at=str(at(datetime.now(UTC))),
        )
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        raise TerminalError(
            f"no key can have the {fault['loc'][0]} {str(fault['input'])[:60]!r}: {fault['msg']}; give another"
        ) from error
    with home.lock("keys"):
        keys = read(home)
        if any(other.name == name and other.revoked_at is None for other in keys):
            raise TerminalError(f"there is a key named {name!r}: revoke it, or give --name another")
        _write(home, [*keys, key])
    return key, secret


def revoke(home: Home, name_or_id: str) -> ApiKey:
    """Make the key useless from now on; running collectors see it with their next request.

    Raises TerminalError where no live key has that name or id.
    """
    with home.lock("keys"):
        keys = read(home)
        for place, key in enumerate(keys):
            if key.revoked_at is None and name_or_id in (key.name, key.key_id):
                keys[place] = key.model_copy(update={"revoked_at": at(datetime.now(UTC))})
                _write(home, keys)
                return keys[place]
        live = ", ".join(sorted(key.name for key in keys if key.revoked_at is None)) or "none"
    raise TerminalError(f"no live key has the name or id {name_or_id!r}; live keys: {live}")


def read(home: Home) -> list[ApiKey]:
    """Every key of the home, the revoked ones too. Raises TerminalError where the file is damaged."""
    return read_file(keys_file(home))


def read_file(file: Path) -> list[ApiKey]:
    """Every key of a file that `create` wrote. Raises TerminalError where it is damaged."""
    try:
        return _KEYS.validate_json(file.read_bytes())
    except FileNotFoundError:
        return []
    except (OSError, ValidationError) as error:
        raise TerminalError(
            f"{file} can't be read ({str(error).splitlines()[0]}): restore it, or remove it and create the keys again"
        ) from error


class KeyRing:
    """The live keys of a file, read again whenever the file has changed."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._stamp: tuple[int, int, int] | None = None
        self._live: dict[str, ApiKey] = {}

    def find(self, presented: str) -> ApiKey | None:
        """The live key that `presented` is. Raises TerminalError where the file is damaged: then nobody gets in."""
        self._refresh()
        shape = SHAPE.fullmatch(presented)
        key = self._live.get(shape[1]) if shape else None
        return key if key and hmac.compare_digest(key.sha256, _hash(presented)) else None

    def live(self, key_id: str) -> ApiKey | None:
        """The live key of that id, which is no proof that somebody has it. Raises TerminalError likewise."""
        self._refresh()
        return self._live.get(key_id)

    def _refresh(self) -> None:
        try:
            status = self._file.stat()
        except FileNotFoundError:
            self._stamp, self._live = None, {}
            return
        except OSError as error:
            raise TerminalError(f"{self._file} can't be read: {error.strerror}") from error
        # The file is replaced, never changed, so that another content has another inode.
        stamp = (status.st_ino, status.st_mtime_ns, status.st_size)
        if stamp != self._stamp:
            self._live = {key.key_id: key for key in read_file(self._file) if key.revoked_at is None}
            self._stamp = stamp


def _write(home: Home, keys: list[ApiKey]) -> None:
    content = json.dumps([key.model_dump(mode="json") for key in keys], indent=1)
    replace(keys_file(home), content.encode())


def _hash(secret: str) -> str:
    return sha256(secret.encode("utf-8", "replace")).hexdigest()
