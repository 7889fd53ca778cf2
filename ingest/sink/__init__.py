"""The sink: from the log into the lake, each record once, bad ones with the reason beside them."""

from ingest.sink.land import rows
from ingest.sink.sink import Landed, Sink
from ingest.sink.tail import FlushPolicy

__all__ = ["FlushPolicy", "Landed", "Sink", "rows"]
