"""Vega-Lite for browsers, out of the wheel: bundled once a version, in seconds, and kept in the cache folder."""

import gzip
import os
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from threading import Thread

import vl_convert

from ingest.durable import make_folder, replace
from models.errors import FlywheelError

SNIPPET = "window.vegaEmbed = vegaEmbed;"


class Bundle:
    """The script. It is made in the background from `start` on, and whoever needs it before waits."""

    def __init__(self) -> None:
        versions = f"{version('vl-convert-python')}|{SNIPPET}"
        self.version = sha256(versions.encode()).hexdigest()[:16]
        """Another one for another content."""
        self._content = b""
        self._thread = Thread(target=self._make, name="bundle", daemon=True)

    def start(self) -> None:
        """Begin to make it."""
        self._thread.start()

    def gzipped(self) -> bytes:
        """The script, compressed."""
        self._thread.join()
        return self._content

    def _make(self) -> None:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        file = base / "flywheel" / "vega" / f"{self.version}.js.gz"
        try:
            self._content = file.read_bytes()
        except OSError:
            self._content = gzip.compress(vl_convert.javascript_bundle(SNIPPET).encode(), 6)
            try:
                make_folder(file.parent)
                replace(file, self._content)
            except (OSError, FlywheelError):
                return  # without a cache it is made again at the next start
