"""The log of a home: the first log that a home is used with is pinned to it, and no other is taken after that.

Positions, claims and what is known of the log are kept in the home, and mean nothing beside another log.
"""

import logging

from ingest.home import Home
from ingest.lake.segments import next_position
from ingest.log.base import EventLog
from ingest.log.embedded import EmbeddedLog
from ingest.log.open import open_log
from models.errors import TerminalError
from models.topics import LOG_TOPICS, lake_place

logger = logging.getLogger(__name__)


def open_pinned(url: str | None, home: Home, *, pin: bool = True) -> EventLog:
    """The log at `url` (see `open_log`), which is from now on the log of `home`.

    Without `pin`, for those who only look, a home that has no log yet is left without. Raises what `open_log` raises,
    and TerminalError where the home is another log's.
    """
    log = open_log(url, home.path)
    try:
        pinned(log, home, pin=pin)
        if isinstance(log, EmbeddedLog) and log.was_cut_short:
            _pass_over_what_has_landed(log, home)
    except BaseException:
        log.close()
        raise
    return log


def _pass_over_what_has_landed(log: EmbeddedLog, home: Home) -> None:
    """Positions that the lake has, and the log lost, are not given again: what came at them would never land."""
    for topic in LOG_TOPICS:
        for partition in log.end_offsets(topic):
            if lost := log.pass_over(topic, partition, next_position(home, *lake_place(topic, partition))):
                logger.warning(
                    "%s/%s: the last %d records are no longer in the log, and are in the lake. "
                    "The log goes on after them.",
                    topic, partition, lost,
                )  # fmt: skip


def pinned(log: EventLog, home: Home, *, pin: bool = True) -> str:
    """The identity of `log`, once it is known to be the log of `home`. Raises TerminalError where it is not."""
    identity = log.identity()
    known = home.pin("log", identity) if pin else str(home.facts().get("log", identity))
    if known != identity:
        raise TerminalError(
            f"home {home.path} is of the log {known}, and this log is {identity}: give --log the one that the home "
            "began with, or another --home"
        )
    return identity
