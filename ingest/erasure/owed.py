"""What the log still owes: requests for which the lake has lost rows since the log was last rewritten for them.

A copy of something erased may come at any time after, and lands without its content, while the log still has all of
it. The lake is looked at by every build, which has no log; so what it finds is written down here, before anything else
is, until whoever has the log has rewritten it.
"""

import json
from collections.abc import Iterable
from typing import NamedTuple

from ingest.durable import make_folder, replace
from ingest.erasure.requests import landed_requests
from ingest.home import Home


class Owed(NamedTuple):
    """What is still to be done to the log."""

    keys: frozenset[str]
    """Of requests."""
    begun: bool
    """A rewriting was begun, and nobody has seen its end: the log's file may still have what it has lost."""


def owed(home: Home) -> Owed:
    """What the log owes. In a home where nobody has noted it yet that is everything."""
    try:
        said = json.loads((home.erasures / "owed.json").read_text())
        return Owed(frozenset(said["keys"]), bool(said["begun"]))
    except (FileNotFoundError, ValueError, TypeError, KeyError):
        return Owed(frozenset(request.key for request in landed_requests(home)), begun=True)


def owe(home: Home, keys: Iterable[str]) -> None:
    """Note that the log owes what these requests take. Whoever writes here holds the lock `compaction`."""
    before = owed(home)
    if new := frozenset(keys) - before.keys:
        _write(home, before._replace(keys=before.keys | new))


def begin(home: Home) -> None:
    """Note that the log is about to be rewritten."""
    before = owed(home)
    if not before.begun:
        _write(home, before._replace(begun=True))


def settle(home: Home, keys: Iterable[str]) -> None:
    """Note that the log has lost all that these requests take of what has landed."""
    _write(home, Owed(owed(home).keys.difference(keys), begun=False))


def _write(home: Home, now: Owed) -> None:
    make_folder(home.erasures)
    replace(home.erasures / "owed.json", json.dumps({"keys": sorted(now.keys), "begun": now.begun}).encode())
