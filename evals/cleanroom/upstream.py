"""An index that the user names, as the source of a room's (PEP 691 and 700: simple pages in JSON, with times of
upload).

Left out: files without a hash, and yanked ones.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from urllib.parse import urljoin

import httpx

from evals.cleanroom.index import BadIndex, File

JSON: Final = "application/vnd.pypi.simple.v1+json"
MOST: Final = 512 << 20
"""Bytes of one file."""


class Upstream:
    """An index at `url`, the address to which a project's name is added. Raises BadIndex where it does not answer."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/") + "/"
        self._client = httpx.Client(timeout=30, follow_redirects=True)

    def files(self, project: str) -> Sequence[File]:
        """See `Source`."""
        address = urljoin(self._url, f"{project}/")
        answer = self._get(address, {"Accept": JSON})
        if answer.status_code == 404:
            return ()
        if answer.status_code != 200 or "json" not in answer.headers.get("content-type", ""):
            raise BadIndex(f"{address} answers {answer.status_code} without JSON (PEP 691): give an index that has it")
        told: list[dict[str, Any]] = answer.json()["files"]
        return [
            File(
                each["filename"], urljoin(str(answer.url), each["url"]), each["hashes"]["sha256"],
                datetime.fromisoformat(each["upload-time"]) if each.get("upload-time") else None,
                each.get("requires-python") or "",
            )
            for each in told
            if each.get("hashes", {}).get("sha256") and not each.get("yanked")
        ]  # fmt: skip

    def content(self, file: File) -> bytes:
        """See `Source`."""
        answer = self._get(file.place, {})
        if answer.status_code != 200 or len(answer.content) > MOST:
            raise BadIndex(f"{file.place} answers {answer.status_code}")
        return answer.content

    def _get(self, address: str, headers: dict[str, str]) -> httpx.Response:
        try:
            return self._client.get(address, headers=headers)
        except httpx.HTTPError as error:
            raise BadIndex(f"{address} does not answer: {error}") from error
