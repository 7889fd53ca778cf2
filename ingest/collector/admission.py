"""Who is let in: a live key, or anybody on this machine where none is asked for, and no faster than the rate allows."""

from collections.abc import Iterable
from math import ceil

from ingest.collector.answers import Turned
from ingest.collector.keys import OPEN, ApiKey, KeyRing
from ingest.collector.offered import Sender
from ingest.collector.rate import Rates
from ingest.loopback import is_loopback, name_of
from models.errors import TerminalError

LONGEST_IDEMPOTENCY_KEY = 255

Headers = Iterable[tuple[bytes, bytes]]


class Admission:
    """Asks each request for its key. `keys` is None where none is needed."""

    def __init__(self, keys: KeyRing | None, rates: Rates) -> None:
        self._keys = keys
        self._rates = rates

    def sender(self, headers: Headers) -> Sender:
        """Who sends. Raises Turned: 400 (idempotency key), 401, 403 (another site's page), 429, 503 (no keys)."""
        named = {name: value.decode("latin-1").strip() for name, value in headers}
        key = self._open(named) if self._keys is None else self._known(self._keys, named)
        if wait := self._rates.wait(key.key_id):
            raise Turned(429, f"the key {key.name!r} has sent as much as its rate allows: wait", ceil(wait))
        return Sender(key, _idempotency_key(named.get(b"idempotency-key")))

    def spend(self, sender: Sender, events: int) -> None:
        """The sender's events count against its rate."""
        self._rates.spend(sender.key.key_id, max(1, events))

    def _open(self, named: dict[bytes, str]) -> ApiKey:
        # A page in this machine's browser could have its own name point here, and then write to us.
        host = named.get(b"host", "")
        if not is_loopback(name_of(host)):
            raise Turned(403, f"without keys only this machine is served, by a loopback name, not as {host[:80]!r}")
        return OPEN

    def _known(self, keys: KeyRing, named: dict[bytes, str]) -> ApiKey:
        scheme, _, token = named.get(b"authorization", "").partition(" ")
        presented = token.strip() if scheme.lower() == "bearer" else named.get(b"x-api-key", "")
        if not presented:
            raise Turned(401, "no key: send Authorization: Bearer KEY, or X-API-Key: KEY")
        try:
            key = keys.find(presented)
        except TerminalError as error:
            raise Turned(503, "the keys can't be read: the collector's log says why", 30) from error
        if key is None:
            raise Turned(401, "the key is unknown or revoked")
        return key


def _idempotency_key(given: str | None) -> str | None:
    if given is None:
        return None
    plain = given[1:-1] if len(given) >= 2 and given[0] == given[-1] == '"' else given
    if not 1 <= len(plain) <= LONGEST_IDEMPOTENCY_KEY or not plain.isprintable():
        wanted = f"send 1 to {LONGEST_IDEMPOTENCY_KEY}, printable"
        raise Turned(400, f"Idempotency-Key has {len(plain):,} characters: {wanted}", head=True)
    return plain
