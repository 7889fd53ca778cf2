"""Who is let in, and as what: anybody on this machine, whoever has a key, or whom a proxy in front of us has let in.

Left out: making keys, which is `flywheel keys`; and OIDC itself, which is the proxy's.
"""

import hmac
import secrets
import time
from collections.abc import Mapping, Sequence
from hashlib import sha256
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import NamedTuple

from dashboards.page import Role
from ingest.collector.keys import ApiKey, KeyRing
from ingest.loopback import is_loopback, name_of
from models.errors import TerminalError

COOKIE = "flywheel_session"
SESSION_S = 12 * 3600
HERE = ("127.0.0.0/8", "::1/128")
"""Where a proxy is by default: on this machine."""


class Proxy(NamedTuple):
    """A proxy that signs people in and says who they are."""

    header: str
    """The header with the person's name; without it nobody is let in."""
    groups_header: str = "X-Forwarded-Groups"
    reader_groups: frozenset[str] = frozenset()
    """Groups whose members read what people wrote; all others are viewers."""
    networks: Sequence[str] = HERE
    """Addresses that the proxy has: headers of others count for nothing."""


class Visitor(NamedTuple):
    """Who asks."""

    role: Role
    name: str = ""
    """As a key or the proxy calls them; "" where nobody has to sign in."""
    has_session: bool = False


class Refused(Exception):
    """Nobody is let in by that. `status` is 401 where signing in may help, 403 where it can't, 503 without keys."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class Door:
    """Asks each request who it is of. Neither keys nor a proxy: this machine's own people are let in, as readers."""

    def __init__(self, keys: Path | None = None, proxy: Proxy | None = None) -> None:
        self._keys = KeyRing(keys) if keys else None
        self._proxy = proxy
        self._networks = [ip_network(network) for network in (proxy.networks if proxy else ())]
        self._secret = secrets.token_bytes(32)
        """A session ends with the program, and nobody makes one out of the file of keys."""

    @property
    def takes_keys(self) -> bool:
        """Whether one signs in by a key here."""
        return self._keys is not None

    def visitor(self, headers: Mapping[str, str], cookies: Mapping[str, str], peer: str) -> Visitor:
        """Who asks. Header names are in lower case. Raises Refused."""
        if self._proxy and self._is_proxy(peer):
            return self._sent_by(self._proxy, headers)
        if self._keys:
            return self._with_key(headers, cookies)
        if self._proxy:
            raise Refused(403, f"{peer} is not the proxy that signs people in: come by its address")
        # A page elsewhere could have its own name point here, and read us through this machine's browser.
        if not is_loopback(name_of(headers.get("host", ""))):
            raise Refused(403, "without sign-in only this machine is served, by a loopback name: 127.0.0.1")
        return Visitor("reader")

    def session(self, presented: str) -> str | None:
        """The cookie of whoever has this key; None where it opens nothing. Raises Refused where keys can't be read."""
        key = self._find(presented)
        if key is None or _role(key) is None:
            return None
        until = str(int(time.time()) + SESSION_S)
        return f"{key.key_id}.{until}.{self._signature(key, until)}"

    def _with_key(self, headers: Mapping[str, str], cookies: Mapping[str, str]) -> Visitor:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            key, has_session = self._find(token.strip()), False
        else:
            key, has_session = self._of_session(cookies.get(COOKIE, "")), True
        if key is None:
            raise Refused(401, "sign in with a key")
        if (role := _role(key)) is None:
            raise Refused(403, f"the key {key.name!r} is for sending: it has neither the scope viewer nor reader")
        return Visitor(role, key.name, has_session)

    def _of_session(self, cookie: str) -> ApiKey | None:
        key_id, _, rest = cookie.partition(".")
        until, _, signature = rest.partition(".")
        key = self._live(key_id)
        if key is None or not until.isdigit() or not hmac.compare_digest(
            signature.encode(), self._signature(key, until).encode()
        ):  # fmt: skip
            return None
        return key if int(until) > time.time() else None

    def _sent_by(self, proxy: Proxy, headers: Mapping[str, str]) -> Visitor:
        name = headers.get(proxy.header.lower(), "").strip()
        if not name:
            raise Refused(403, f"the proxy has not said who asks: it must send {proxy.header}")
        groups = {group.strip() for group in headers.get(proxy.groups_header.lower(), "").split(",")}
        return Visitor("reader" if groups & proxy.reader_groups else "viewer", name)

    def _is_proxy(self, peer: str) -> bool:
        try:
            return any(ip_address(peer) in network for network in self._networks)
        except ValueError:
            return False

    def _find(self, presented: str) -> ApiKey | None:
        try:
            return self._keys.find(presented) if self._keys else None
        except TerminalError as error:
            raise Refused(503, "the keys can't be read: the log of the dashboards says why") from error

    def _live(self, key_id: str) -> ApiKey | None:
        try:
            return self._keys.live(key_id) if self._keys else None
        except TerminalError as error:
            raise Refused(503, "the keys can't be read: the log of the dashboards says why") from error

    def _signature(self, key: ApiKey, until: str) -> str:
        return hmac.new(self._secret, f"{key.sha256}.{until}".encode(), sha256).hexdigest()


def _role(key: ApiKey) -> Role | None:
    return "reader" if "reader" in key.scopes else "viewer" if "viewer" in key.scopes else None
