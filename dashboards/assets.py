"""What pages need beside themselves: style, scripts, icon. Addresses carry the content's digest, so that browsers keep
them for ever and never show an old one."""

import gzip
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from dashboards import palette
from dashboards.bundle import Bundle

FOLDER = Path(__file__).parent / "static"
TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
VEGA = "vega.js"


class Asset(NamedTuple):
    """A file as it is sent."""

    content: bytes
    """Compressed."""
    media_type: str


class Assets:
    """The files by name. `start` begins to make the one that takes long."""

    def __init__(self) -> None:
        self._bundle = Bundle()
        plain = {file.name: file.read_bytes() for file in sorted(FOLDER.iterdir()) if file.suffix[1:] in TYPES}
        plain["style.css"] = palette.css().encode() + plain["style.css"]
        self._versions = {name: sha256(content).hexdigest()[:16] for name, content in plain.items()}
        self._versions[VEGA] = self._bundle.version
        self._zipped = {name: gzip.compress(content, 6) for name, content in plain.items()}

    def start(self) -> None:
        """Begin to make what takes long."""
        self._bundle.start()

    def address(self, name: str) -> str:
        """Where a browser finds the file."""
        return f"/static/{name}?v={self._versions[name]}"

    def find(self, name: str) -> Asset | None:
        """The file of that name; None where there is none. Waits for what is being made."""
        if name not in self._versions:
            return None
        content = self._bundle.gzipped() if name == VEGA else self._zipped[name]
        return Asset(content, TYPES[name.rpartition(".")[2]])
