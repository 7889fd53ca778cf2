"""What happens to senders when their process forks or ends."""

import atexit
import os
from typing import Protocol
from weakref import WeakSet


class Living(Protocol):
    """What a sender does at these moments."""

    def before_fork(self) -> None:
        """Stand still."""
        ...

    def after_fork_in_parent(self) -> None:
        """Go on."""
        ...

    def after_fork_in_child(self) -> None:
        """Begin anew."""
        ...

    def at_exit(self) -> None:
        """Send what can be sent in a bounded time."""
        ...


_living: WeakSet[Living] = WeakSet()
_held: list[Living] = []


def register(sender: Living) -> None:
    """From now on `sender` hears of forks and of the end."""
    _living.add(sender)


def forget(sender: Living) -> None:
    """`sender` is closed."""
    _living.discard(sender)


def _before_fork() -> None:
    _held[:] = list(_living)
    for sender in _held:
        sender.before_fork()


def _after_fork_in_parent() -> None:
    for sender in reversed(_held):
        sender.after_fork_in_parent()
    _held.clear()


def _after_fork_in_child() -> None:
    for sender in _held:
        sender.after_fork_in_child()
    _held.clear()


def _at_exit() -> None:
    for sender in list(_living):
        sender.at_exit()


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
