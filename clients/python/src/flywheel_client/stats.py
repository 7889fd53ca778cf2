"""What became of the events: every one is counted in exactly one place.

queued + adopted == accepted + duplicate + refused + dropped + waiting
"""

from typing import NamedTuple


class Stats(NamedTuple):
    """Counts of events since the client was made."""

    queued: int = 0
    """Recorded by this client."""
    adopted: int = 0
    """Found in the spools of earlier processes."""
    accepted: int = 0
    duplicate: int = 0
    """The collector had them already: answers were lost, and the events were sent again."""
    refused: int = 0
    """The collector will never take them; `on_refused` and the log say which and why."""
    dropped: int = 0
    """Lost here, and warned about: spool and memory were full, or the program ended without a spool."""
    waiting: int = 0
    spooled: int = 0
    """Those of the waiting that are on disk: the next start finds them."""
