"""The sweep: the lake of a home loses what the requests that have landed in it claim, and with it the vectors of texts.

It needs no log, so that every build begins with it: whatever a sink that slept, or a replay, has brought since is gone
before anything is made of it. Files are rewritten in place under their name; a reader has the old file or the new one.
Killed at any point it is repeated and ends with the same lake.
"""

import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from ingest.durable import make_folder, replace
from ingest.erasure import blanks, modes
from ingest.erasure.journal import Touched, note
from ingest.erasure.lake_files import content, files, metadata, scanned, sha256, signature
from ingest.erasure.owed import owe
from ingest.erasure.plan import drop_plan, keep_plan, planned, planned_texts
from ingest.erasure.requests import Request, landed_requests
from ingest.erasure.rules import PLACE
from ingest.erasure.search import MARKS, Search
from ingest.erasure.vectors import forget
from ingest.home import Home
from ingest.lake.columns import flatten, schema
from ingest.reader import query
from ingest.vectors import embed
from models.errors import FlywheelError
from models.events import HEADERS, dump, parse
from models.events.taxonomy import ModeProposed
from models.topics import TOPICS
from text.normal_form import text_hash

MODE = "taxonomy.mode_proposed.v1"
Place = tuple[int, int]
"""(partition, offset)."""


class Swept(NamedTuple):
    """What one sweep did."""

    rows: int
    """Rows that lost their content."""
    files: int


class Erasure(NamedTuple):
    """What is to be done to the lake."""

    marks: pl.DataFrame
    """MARKS: rows that lose their content."""
    reworked: dict[Place, tuple[ModeProposed, int]]
    """Rows of `taxonomy` that rest on fewer members, with the place of the request behind it."""
    texts: frozenset[str]


def sweep(home: Home) -> Swept:
    """Erase what is claimed in files that were not looked at before; in all of them where a request is new.

    The caller holds the lock `build`. Raises TransientError where the disk is full or the lake is being merged.
    """
    requests = landed_requests(home)
    if not requests:
        return Swept(0, 0)
    with home.lock("compaction"):
        there = everything(home)
        fresh = _Seen.read(home).fresh(home, there, requests)
        unfinished = planned(home, requests)
        texts = planned_texts(home)
        if not any(fresh.values()) and not unfinished.height and not texts:
            return Swept(0, 0)
        erasure = look(home, requests, fresh, unfinished)
        owe(home, _landed_empty(fresh) | {requests[place].key for place in _involved(erasure)})
        texts |= {text_hash(text) for text in erasure.texts}
        swept = Swept(0, 0)
        if erasure.marks.height or erasure.reworked or texts:
            keep_plan(home, erasure.marks, requests, texts)
            if unfinished.height or _is_built(home, erasure):
                raise_generation(home)
            swept = _rewrite(home, requests, erasure)
            for file, before, after in forget(home, texts):
                for place in sorted(_involved(erasure)) or range(len(requests)):
                    note(home, requests[place].stem, Touched(file, before, after, 0))
            drop_plan(home)
        _Seen.of(home, there, requests).write(home)
        return swept


def look(home: Home, requests: list[Request], fresh: dict[str, list[Path]], unfinished: pl.DataFrame) -> Erasure:
    """What `requests` claim of the files in `fresh`, and of all where one leads further. Changes nothing."""
    found = Search(home, requests, fresh).run(unfinished)
    gone, reworked = _modes(home, found.keys)
    return Erasure(pl.concat([found.marks, gone]).unique(["topic", *PLACE]), reworked, found.texts)


def _involved(erasure: Erasure) -> set[int]:
    """Places of the requests that take something."""
    return set(erasure.marks["request"]) | {place for _, place in erasure.reworked.values()}


def _landed_empty(fresh: dict[str, list[Path]]) -> set[str]:
    """Keys of the requests for which a sink has landed rows without their content, which the log may still have.

    A file that compaction has merged is fresh as well, and tells the same again: the log is then looked at in vain.
    """
    there = pl.col("erased").is_not_null()
    return {
        str(key)
        for topic, paths in fresh.items()
        for _, frame in scanned(paths, ("erased",), schema(topic), among=there)
        for key in frame["erased"].unique()
    }


def everything(home: Home) -> dict[str, list[Path]]:
    """Topic -> all its files."""
    return {topic: files(home, topic) for topic in TOPICS}


def generation(home: Home) -> int:
    """How often the lake of `home` has lost content: a warehouse that was made under another number still has it."""
    file = home.erasures / "generation"
    return int(file.read_text()) if file.exists() else 0


def raise_generation(home: Home) -> None:
    """Before content goes: then no crash leaves a warehouse that looks as if it had been made after."""
    make_folder(home.erasures)
    replace(home.erasures / "generation", str(generation(home) + 1).encode())


def _is_built(home: Home, erasure: Erasure) -> bool:
    """Whether a warehouse has any of it. What has only just landed is in none, and needs no cold build: else a client
    that sends erased events again and again would make every build one."""
    if not home.warehouse.exists():
        return False
    try:
        read = query(home, "select topic, log_partition, last_offset from flywheel_build_positions").rows
    except FlywheelError:
        return True
    last = {(str(topic), int(partition)): int(offset) for topic, partition, offset in read}
    places = [
        (topic, partition, offset) for topic, partition, offset, _ in erasure.marks.select(MARKS.names()).iter_rows()
    ]
    places += [("taxonomy", partition, offset) for partition, offset in erasure.reworked]
    return any(offset <= last.get((topic, partition), -1) for topic, partition, offset in places)


def _rewrite(home: Home, requests: list[Request], erasure: Erasure) -> Swept:
    keys = {place: request.key for place, request in enumerate(requests)}
    rows = count = 0
    for topic in TOPICS:
        marks = erasure.marks.filter(pl.col("topic") == topic).select(*PLACE, "request")
        places = pl.DataFrame(list(erasure.reworked), schema=marks.drop("request").schema, orient="row")
        touched = pl.concat([marks.select(PLACE), places]) if topic == "taxonomy" else marks.select(PLACE)
        if not touched.height:
            continue
        for file, _ in scanned(files(home, topic), (*PLACE, "erased"), schema(topic), among=_among(touched)):
            done = _rewrite_file(home, topic, file, marks=marks, requests=requests, keys=keys, erasure=erasure)
            rows, count = rows + done, count + 1
    return Swept(rows, count)


def _rewrite_file(
    home: Home,
    topic: str,
    file: Path,
    *,
    marks: pl.DataFrame,
    requests: list[Request],
    keys: dict[int, str],
    erasure: Erasure,
) -> int:
    """Rewrite one file; how many rows of it lost their content."""
    frame = blanks.with_erased(pl.read_parquet(file, glob=False))
    known = {name: kind for name, kind in schema(topic).items() if name in frame.columns}
    frame = frame.with_columns(pl.col(name).cast(kind) for name, kind in known.items())
    joined = frame.join(marks, on=PLACE, how="left", maintain_order="left")
    new = joined.filter(pl.col("request").is_not_null(), pl.col("erased").is_null())
    request = pl.col("request").replace_strict(keys, default=None, return_dtype=pl.String)
    blanked = blanks.blank(joined.with_columns(request.alias("request")), topic, pl.col("request")).drop("request")
    if topic == "taxonomy":
        blanked = _with_modes(blanked, erasure.reworked)
    if blanked.equals(frame):
        return 0
    after = content(blanked.select(frame.columns), metadata(file))
    counted = dict(new.group_by("request").len().iter_rows())
    involved = set(counted) | {place for _, place in erasure.reworked.values() if topic == "taxonomy"}
    before = sha256(file)
    for place in sorted(involved or {0}):
        name = file.relative_to(home.path).as_posix()
        note(
            home, requests[place].stem, Touched(name, before, hashlib.sha256(after).hexdigest(), counted.get(place, 0))
        )
    replace(file, after)
    return new.height


def _with_modes(frame: pl.DataFrame, reworked: dict[Place, tuple[ModeProposed, int]]) -> pl.DataFrame:
    if not reworked:
        return frame
    rows: list[dict[str, Any]] = []
    for row in frame.iter_rows(named=True):
        found = reworked.get((row["log_partition"], row["log_offset"]))
        rows.append({**row, **_as_row(found[0])} if found and row["erased"] is None else row)
    return pl.DataFrame(rows, schema=frame.schema)


def _as_row(mode: ModeProposed) -> dict[str, Any]:
    value = dump(mode)
    packed = blanks.packed(HEADERS)
    said = {"raw": value, "canonical": value.decode(), "content_hash": mode.content_hash(), "record_headers": packed}
    return {**flatten(mode), **said}


def _modes(home: Home, keys: dict[str, int]) -> tuple[pl.DataFrame, dict[Place, tuple[ModeProposed, int]]]:
    """Modes that have erased members: those with no other are erased, the rest reworked."""
    gone: list[dict[str, Any]] = []
    reworked: dict[Place, tuple[ModeProposed, int]] = {}
    wanted = (*PLACE, "type", "error", "erased", "member_keys", "raw", "record_headers")
    among = (pl.col("type") == MODE) & pl.col("error").is_null() & pl.col("erased").is_null()
    if not keys:
        return pl.DataFrame(schema=MARKS), {}
    for _, frame in scanned(files(home, "taxonomy"), wanted, schema("taxonomy"), among=among):
        for row in frame.iter_rows(named=True):
            members = modes.members(row)
            requests = [keys[key] for key in members if key in keys]
            if not requests:
                continue
            place = (int(row["log_partition"]), int(row["log_offset"]))
            texts = _texts(home, [key for key in members if key not in keys])
            if texts:
                event = parse(row["raw"], blanks.unpacked(row["record_headers"]))
                assert isinstance(event, ModeProposed), "the column `type` says so"
                fewer = modes.without(event, texts, lambda hashes, forms: embed(home, hashes, forms))
                reworked[place] = (fewer, min(requests))
            else:
                gone.append({"topic": "taxonomy", "log_partition": place[0], "log_offset": place[1],
                             "request": min(requests)})  # fmt: skip
    return pl.DataFrame(gone, schema=MARKS), reworked


def _texts(home: Home, keys: list[str]) -> dict[str, str]:
    """Event key -> text, of these comments and reports as they are in the lake."""
    wanted = pl.Series("key", keys, dtype=pl.String).implode()
    found: dict[str, str] = {}
    columns = (*PLACE, "source", "event_id", "error", "erased", "text")
    key = pl.col("source") + "|" + pl.col("event_id")
    for _, frame in scanned(files(home, "feedback"), columns, schema("feedback"), among=key.is_in(wanted)):
        live = frame.filter(pl.col("error").is_null(), pl.col("erased").is_null()).drop_nulls("text")
        for text_key, text in live.select(key, "text").iter_rows():
            found.setdefault(text_key, text)
    return found


def _among(places: pl.DataFrame) -> pl.Expr:
    return pl.struct(PLACE).is_in(places.select(pl.struct(PLACE).alias("place"))["place"].implode())


class _Seen(NamedTuple):
    """Which files were looked at, and for which requests."""

    files: dict[str, list[int]]
    """Path in the home -> its signature then."""
    requests: list[str]

    @classmethod
    def read(cls, home: Home) -> "_Seen":
        file = home.erasures / "seen.json"
        try:
            return cls(**json.loads(file.read_text()))
        except (FileNotFoundError, ValueError, TypeError):
            return cls({}, [])

    @classmethod
    def of(cls, home: Home, looked_at: dict[str, list[Path]], requests: list[Request]) -> "_Seen":
        """`looked_at` is what was there at the beginning: a sink may have linked more since."""
        found = [file for paths in looked_at.values() for file in paths]
        signatures = {file.relative_to(home.path).as_posix(): list(signature(file)) for file in found}
        return cls(signatures, sorted(request.key for request in requests))

    def fresh(self, home: Home, there: dict[str, list[Path]], requests: list[Request]) -> dict[str, list[Path]]:
        """Topic -> the files that are to be looked at."""
        if {request.key for request in requests} - set(self.requests):
            return there
        return {
            topic: [
                file
                for file in paths
                if self.files.get(file.relative_to(home.path).as_posix()) != list(signature(file))
            ]
            for topic, paths in there.items()
        }

    def write(self, home: Home) -> None:
        make_folder(home.erasures)
        replace(home.erasures / "seen.json", json.dumps(self._asdict()).encode())
