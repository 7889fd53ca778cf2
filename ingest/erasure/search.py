"""Looking for what requests claim, over files of the lake: rules run until they find nothing more. It writes nothing.

A file at a time, and of each only the columns that rules look at: memory goes with what is found, not with the lake.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from ingest.erasure import blanks, rules
from ingest.erasure.lake_files import files, scanned
from ingest.erasure.requests import Request
from ingest.erasure.rules import COLUMNS, LOOKED_AT, PLACE
from ingest.erasure.texts import columns, texts_of
from ingest.erasure.writing import holding, person_patterns
from ingest.home import Home
from ingest.lake.columns import schema
from models.topics import TOPICS

REFUSED = "import.row_refused.v1"
NOTHING_HELD = pl.DataFrame(schema={"kind": pl.String, "id": pl.String})
MARKS = pl.Schema({"topic": pl.String, "log_partition": pl.Int32(), "log_offset": pl.Int64(), "request": pl.Int32()})
"""A row of the lake by its position, and the place of the request that takes its content."""


class Found(NamedTuple):
    """What is to lose its content."""

    marks: pl.DataFrame
    """MARKS, one row a position."""
    keys: dict[str, int]
    """Event keys of what is erased, now and before, with the place of the request that takes it."""
    texts: frozenset[str]
    """The texts in it. They are in memory alone."""


class Search:
    """One look over the lake of `home` for `requests`. `fresh` are the files that were not looked at before."""

    def __init__(self, home: Home, requests: Sequence[Request], fresh: dict[str, list[Path]]) -> None:
        self._requests = list(requests)
        self._places = {request.key: place for place, request in enumerate(requests)}
        self._all = {topic: files(home, topic) for topic in TOPICS}
        self._fresh = fresh
        self._claims = rules.claims_of_persons(
            [(place, request.person_id, request.until) for place, request in enumerate(requests)]
        )
        self._marks: dict[str, pl.DataFrame] = {topic: _no_marks(topic) for topic in TOPICS}

    def run(self, planned: pl.DataFrame) -> Found:
        """Everything that is claimed in the fresh files, and what `planned` (MARKS) has marked before a crash."""
        for topic in TOPICS:
            self._add(topic, planned.filter(pl.col("topic") == topic))
        self._claim_again()
        self._responses()
        self._anonymous()
        for topic in ("experiments", "feedback"):
            self._look(topic)
        self._claim_again()
        for topic in TOPICS:  # copies, judgements and scores of what has been found by now
            self._look(topic)
        texts = self._texts()
        self._look_inside(texts)
        marks = pl.concat(list(self._marks.values()))
        every = frozenset(text for found in texts.values() for text in found)
        return Found(marks, self._keys(), every)

    def _responses(self) -> None:
        """Until no response leads to another. A new one may lead into files that were looked at before."""
        while True:
            before = self._marks["responses"].height
            self._look("responses")
            mine = self._marked_responses()
            if mine.height:
                self._claims = self._with(self._claims_of(mine))
                self._look("responses")
            if self._marks["responses"].height == before:
                return
            self._fresh = self._all

    def _claims_of(self, responses: pl.DataFrame) -> pl.DataFrame:
        """What these responses claim. Who else holds an id is asked only where a fresh row goes by it: it takes a look
        at all responses."""
        claims = rules.claims_of_responses(responses, NOTHING_HELD)
        for topic in ("responses", "experiments", "feedback"):
            for _, frame in scanned(self._fresh[topic], _wanted(topic), schema(topic)):
                if rules.claimed(rules.names(frame, topic), claims).height:
                    return rules.claims_of_responses(responses, self._held("responses"))
        return claims

    def _marked_responses(self) -> pl.DataFrame:
        """The responses that are erased or will be: what they can be found by, `request`, `until`."""
        parts: list[pl.DataFrame] = []
        among = self._among("responses")
        for _, frame in scanned(self._all["responses"], _wanted("responses"), schema("responses"), among=among):
            parts += [
                frame.join(self._marks["responses"], on=PLACE, how="inner"),
                frame.filter(pl.col("erased").is_in(list(self._places))).with_columns(
                    request=pl.col("erased").replace_strict(self._places, default=None, return_dtype=pl.Int32)
                ),
            ]
        columns = [*dict(rules.POINTED_AT), "request"]
        until = pl.DataFrame(
            {"request": range(len(self._requests)), "until": [request.until for request in self._requests]},
            schema={"request": pl.Int32, "until": rules.CLAIMS["until"]},
        )
        empty = pl.DataFrame(schema={**dict.fromkeys(dict(rules.POINTED_AT), pl.String), "request": pl.Int32})
        return pl.concat([empty, *(part.select(columns) for part in parts)]).join(until, on="request")

    def _held(self, topic: str) -> pl.DataFrame:
        persons = sorted({request.person_id for request in self._requests})
        found = scanned(self._all[topic], _wanted(topic), schema(topic))
        return pl.concat([NOTHING_HELD, *(rules.held_by_others(frame, topic, persons) for _, frame in found)]).unique()

    def _anonymous(self) -> None:
        """Anonymous ids are claimed where exposures and metrics say whose they are, and say it of nobody else."""
        parts: list[pl.DataFrame] = []
        for _, frame in scanned(self._fresh["experiments"], _wanted("experiments"), schema("experiments")):
            hits = rules.claimed(rules.names(frame, "experiments").filter(pl.col("kind") == "person"), self._claims)
            mine = frame.join(hits, on=PLACE).drop_nulls("anonymous_id")
            parts.append(mine.select(id="anonymous_id", request="request", kind=pl.lit("anonymous")))
        if not any(part.height for part in parts):
            return
        found = pl.concat(parts).join(self._held("experiments"), on=["kind", "id"], how="anti")
        until = [request.until for request in self._requests]
        bounds = pl.DataFrame({"request": range(len(until)), "until": until}).cast({"request": pl.Int32})
        self._claims = self._with(rules.as_claims(found.join(bounds, on="request")))
        self._fresh = {**self._fresh, "experiments": self._all["experiments"]}

    def _look(self, topic: str) -> None:
        for _, frame in scanned(self._fresh[topic], _wanted(topic), schema(topic)):
            self._add(topic, rules.claimed(rules.names(frame, topic), self._claims))

    def _add(self, topic: str, hits: pl.DataFrame) -> None:
        new = hits.with_columns(pl.lit(topic).alias("topic")).select(MARKS.names()).cast(MARKS)
        self._marks[topic] = pl.concat([self._marks[topic], new]).unique(PLACE, keep="first", maintain_order=True)

    def _with(self, claims: pl.DataFrame) -> pl.DataFrame:
        return pl.concat([self._claims, claims]).unique()

    def _claim_again(self) -> None:
        """What is erased, now or before, is claimed whenever it comes again; what was worked out from it, too."""
        for topic in TOPICS:
            claims = [rules.claims_of_events(frame, topic) for frame in self._erased(topic)]
            if claims:
                self._claims = self._with(pl.concat(claims))

    def _erased(self, topic: str) -> Iterator[pl.DataFrame]:
        marks = self._marks[topic].select(*PLACE, "request")
        for _, frame in scanned(self._all[topic], LOOKED_AT, schema(topic), among=self._among(topic)):
            before = pl.col("erased").replace_strict(self._places, default=None, return_dtype=pl.Int32)
            marked = frame.join(marks, on=PLACE, how="left")
            found = marked.with_columns(request=pl.coalesce("request", before)).drop_nulls("request")
            if found.height:
                yield found

    def _among(self, topic: str) -> pl.Expr:
        """Rows that are erased, or will be."""
        erased = pl.col("erased").is_not_null()
        places = self._marks[topic].select(pl.struct(PLACE).alias("place"))["place"]
        return erased | pl.struct(PLACE).is_in(places.implode()) if places.len() else erased

    def _keys(self) -> dict[str, int]:
        keys: dict[str, int] = {}
        for topic in ("responses", "feedback"):
            for frame in self._erased(topic):
                events = frame.filter(pl.col("error").is_null()).select(rules.key_of().alias("key"), "request")
                keys |= dict(events.drop_nulls().iter_rows())
        return keys

    def _texts(self) -> dict[int, set[str]]:
        """Request -> the texts in the rows that it takes."""
        found: dict[int, set[str]] = {}
        for topic in TOPICS:
            wanted = (*PLACE, *columns(topic))
            if len(wanted) == len(PLACE) or not self._marks[topic].height:
                continue
            for _, frame in scanned(self._all[topic], wanted, schema(topic)):
                for row in frame.join(self._marks[topic], on=PLACE).iter_rows(named=True):
                    found.setdefault(row["request"], set()).update(texts_of(row, topic))
        return found

    def _look_inside(self, texts: dict[int, set[str]]) -> None:
        """Records that are no events, and refused rows of imports: by what stands in their bytes."""
        for topic in TOPICS:
            bad = (
                pl.col("error").is_not_null()
                if topic != "imports"
                else (pl.col("error").is_not_null() | (pl.col("type") == REFUSED))
            )
            inside = (
                "record_key",
                "record_headers",
                "raw",
                "type",
                *(("text", "reason") if topic == "imports" else ()),
            )
            among = bad & pl.col("erased").is_null()
            paths = self._all[topic] if any(texts.values()) else self._fresh[topic]
            for _, frame in scanned(paths, (*LOOKED_AT, *inside), schema(topic), among=among):
                self._add(topic, self._holding(frame, texts))

    def _holding(self, frame: pl.DataFrame, texts: dict[int, set[str]]) -> pl.DataFrame:
        contents = [blanks.inside(row) for row in frame.iter_rows(named=True)]
        received = frame["received_at"].to_list()
        found: list[int | None] = [None] * frame.height
        for place, request in enumerate(self._requests):
            pattern = person_patterns(request.person_id)
            quoted = holding(contents, texts.get(place, ()))
            for row, content in enumerate(contents):
                if found[row] is None and received[row] <= request.until and (quoted[row] or pattern.search(content)):
                    found[row] = place
        hits = frame.select(PLACE).with_columns(pl.Series("request", found, dtype=pl.Int32))
        return hits.drop_nulls("request")


def _wanted(topic: str) -> tuple[str, ...]:
    return (*LOOKED_AT, *COLUMNS.get(topic, ()))


def _no_marks(topic: str) -> pl.DataFrame:
    return pl.DataFrame({"topic": [], "log_partition": [], "log_offset": [], "request": []}, schema=MARKS)
