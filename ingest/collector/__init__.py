"""The collector: events over HTTP, onto the log. `docs/collector.md` is its contract with those who send.

`app.py` puts it together; `intake.py` decides what is new; `committer.py` is the only one that writes to the log.
"""

from ingest.collector.app import collector_app
from ingest.collector.settings import Settings

__all__ = ["Settings", "collector_app"]
