"""What a room sees of a package index."""

import hashlib
import http.server
import json
import os
import sys
import threading
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from evals.cleanroom.bubblewrap import open_room
from evals.cleanroom.index import BadIndex, Folder, Index
from evals.cleanroom.network import Network
from evals.cleanroom.tools import tools
from evals.cleanroom.upstream import Upstream

OLD, NEW = datetime(2024, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)
CUT = datetime(2025, 1, 1, tzinfo=UTC)
NAMES = ("friend", "acme", "Two_Words")


def wheel(folder: Path, name: str, version: str, uploaded_at: datetime) -> Path:
    path = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr(f"{name}.py", f"VERSION = {version!r}\n")
        made.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nRequires-Python: >=3.8\n"
        )
        made.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        made.writestr(f"{info}/RECORD", f"{name}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
    os.utime(path, (uploaded_at.timestamp(), uploaded_at.timestamp()))
    return path


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    folder = tmp_path / "wheels"
    folder.mkdir()
    for name in ("friend", "acme", "stranger", "two_words"):
        wheel(folder, name, "1.0", OLD)
        wheel(folder, name, "2.0", NEW)
    return folder


@pytest.fixture
def upstream(wheels: Path) -> Iterator[str]:
    """An index as others have it, over the same wheels."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, name = self.path.strip("/").split("/")
            if kind == "files":
                self._say(200, "application/zip", (wheels / name).read_bytes())
                return
            files: list[dict[str, Any]] = [
                {
                    "filename": path.name,
                    "url": f"/files/{path.name}",
                    "hashes": {"sha256": hashlib.sha256(path.read_bytes()).hexdigest()},
                    "upload-time": datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat().replace("+00:00", "Z"),
                    "requires-python": ">=3.8",
                }
                for path in sorted(wheels.glob(f"{name.replace('-', '_')}-*.whl"))
            ]
            files += [{"filename": f"{name}-0.5.tar.gz", "url": "/files/x", "hashes": {"sha256": "00"}}]
            told = json.dumps({"files": files}).encode()
            self._say(200 if files[:-1] else 404, "application/vnd.pypi.simple.v1+json", told)

        def _say(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/simple/"
        server.shutdown()
        thread.join()


@pytest.fixture(params=["folder", "upstream"])
def source(request: pytest.FixtureRequest, wheels: Path) -> Folder | Upstream:
    return Folder(wheels) if request.param == "folder" else Upstream(request.getfixturevalue("upstream"))


def test_names_dates_and_the_package_under_test(source: Folder | Upstream):
    index = Index(source, NAMES, hidden=("ACME",), before=CUT)
    assert set(index.files("friend")) == {"friend-1.0-py3-none-any.whl"}
    assert set(index.files("two.words")) == {"two_words-1.0-py3-none-any.whl"}
    assert index.files("acme") == index.files("stranger") == {}
    status, _, body = index.answer("GET", "/simple/friend/")
    assert status == "200 OK"
    assert b"friend-1.0-py3-none-any.whl" in body
    assert b"2.0" not in body
    assert b'data-requires-python="&gt;=3.8"' in body
    assert index.answer("GET", "/simple/")[2].count(b"<a") == 2
    status, _, content = index.answer("GET", "/files/friend/friend-1.0-py3-none-any.whl")
    assert (status, content[:2]) == ("200 OK", b"PK")
    for path in (
        "/simple/acme/", "/simple/Acme/", "/simple/a%63me/", "/simple/stranger/", "/simple/nowhere/",
        "/files/friend/friend-2.0-py3-none-any.whl", "/files/acme/acme-1.0-py3-none-any.whl",
        "/files/friend/acme-1.0-py3-none-any.whl", "/files/friend/..%2f..%2fetc%2fpasswd", "/", "/pypi/acme/json",
    ):  # fmt: skip
        assert index.answer("GET", path)[0].startswith("404"), path
    assert index.answer("POST", "/simple/friend/")[0].startswith("405")


def test_without_a_date_all_files_are_there(source: Folder | Upstream):
    assert {name[:10] for name in Index(source, NAMES).files("friend")} >= {"friend-1.0", "friend-2.0"}


def test_an_index_that_does_not_answer_says_so():
    status, _, body = Index(Upstream("http://127.0.0.1:9/simple"), NAMES).answer("GET", "/simple/friend/")
    assert (status, b"does not answer" in body) == ("502 Bad Gateway", True)


def test_a_folder_that_is_none(tmp_path: Path):
    with pytest.raises(BadIndex, match="no folder"):
        Folder(tmp_path / "nowhere")


@pytest.mark.usefixtures("rooms")
def test_pip_in_a_room_gets_a_friend_and_not_the_answer(wheels: Path, tmp_path: Path):
    """With the pip of the interpreter, given to the room as a tool."""
    (site,) = Path(sys.base_prefix, "lib").glob("python3.*/site-packages")
    if not (site / "pip").is_dir():
        pytest.skip("the interpreter has no pip")
    network = Network(packages=Index(Folder(wheels), NAMES, hidden=("acme",), before=CUT))
    with open_room(None, tools=tools(("pip",), tmp_path / "tools", site=site), network=network) as room:
        pip = ["python", "-m", "pip", "--disable-pip-version-check", "install", "--no-deps", "--target", "got"]
        ran = room.run([*pip, "friend"])
        assert ran.ok, ran.stderr
        assert (room.tree / "got/friend.py").read_text() == "VERSION = '1.0'\n"
        for name in ("acme", "stranger"):
            ran = room.run([*pip, name])
            assert not ran.ok
            assert b"No matching distribution" in ran.stderr
        assert {each.why for each in room.denied} == {
            f"not in the index: /simple/{name}/" for name in ("acme", "stranger")
        }
