"""A replay: another home, made anew from what a home's log or lake holds."""

from ingest.replay.replay import Replayed, Selection, begin, from_lake, from_log

__all__ = ["Replayed", "Selection", "begin", "from_lake", "from_log"]
