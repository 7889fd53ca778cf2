"""How the client batches, waits and spools. The defaults suit a web application."""

from typing import NamedTuple

LARGEST_EVENT = 7_999_998
"""Bytes that a collector takes in one request, less the brackets around a list of one."""


class Settings(NamedTuple):
    """Times in seconds, sizes in bytes."""

    batch_events: int = 500
    batch_bytes: int = 1_000_000
    linger: float = 0.5
    """How long an event may wait for others to travel with."""
    timeout: float = 10.0
    """How long an answer may take. The collector answers once its log has acknowledged."""
    first_retry: float = 0.25
    longest_retry: float = 30.0
    """Pauses grow from the first to the longest, each drawn at random below its bound (full jitter)."""
    spool_bytes: int = 64 * 1024 * 1024
    """How much one process keeps on disk. When it is full, the oldest events are dropped, which is counted."""
    memory_events: int = 10_000
    """How many events are kept where no spool can be written."""
    exit_timeout: float = 3.0
    """How long the exit of the program may wait for the last events. What is not sent stays in the spool."""
    adopt_every: float = 15.0
    """How often to look for the spools of processes that have died."""
