"""The client of a Flywheel collector: record what happened and go on; a thread sends it, again and again if it must."""

from flywheel_client.assignment import Share, assigned
from flywheel_client.client import AsyncFlywheel, Flywheel
from flywheel_client.recording import Recorded, Target
from flywheel_client.settings import Settings
from flywheel_client.stats import Stats

__all__ = ["AsyncFlywheel", "Flywheel", "Recorded", "Settings", "Share", "Stats", "Target", "assigned"]
