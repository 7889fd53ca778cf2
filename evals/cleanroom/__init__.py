"""The clean room: a place for an agent, or for tests, that knows nothing of the answer and reaches nobody who does."""

from evals.cleanroom.room import Limits, NoRoom, Ran, Room, Running

__all__ = ["Limits", "NoRoom", "Ran", "Room", "Running"]
