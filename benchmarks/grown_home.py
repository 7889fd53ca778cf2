"""Homes that have grown: millions of events written straight into the lake as segments, column by column.

Of the events a tenth are responses, one in 200 is a comment with new text, all others are thumbs of 200,000 people on
responses, mostly recent ones. They stand in partitions that no log has, so that a real sink goes on beside them. Left
out: the log itself, and what is no event.

    python -m benchmarks.grown_home HOME EVENTS
"""

import random
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from ingest.home import Home
from ingest.lake.columns import schema
from ingest.lake.segments import Footer, write
from ingest.vectors import embedding_name, keep
from text.normal_form import text_hash

BEGINS = datetime(2026, 5, 1, tzinfo=UTC)
DAYS = 180
PEOPLE = 200_000
DIMENSIONS = 384
"""Of the bundled embedding."""
FIRST_PARTITION = 100
"""Beyond every partition that a log of ours has."""
PARTITIONS = 3
NEW_TEXT_OF = 200
"""One event in so many brings new text."""
ROWS = 500_000
"""Of a segment, as compaction would leave it."""
VOCABULARY = (
    "answer file search tool limit words summary table column plan step budget email meeting chart draft "
    "paragraph list button page review refund order invoice flight hotel recipe garden python query index "
    "branch merge patch server cluster latency token prompt image video song chapter theorem proof matrix "
    "vector salary contract clause court doctor dose patient route bridge river market price stock bond trade "
    "dataset label model sample "
)
WORDS = VOCABULARY.split()


def text_of(number: int) -> str:
    """The `number`-th comment: no two say nearly the same."""
    chance = random.Random(number)
    verb = chance.choice(("ignored", "forgot", "repeated", "invented", "found"))
    return f"It {verb} {' '.join(chance.choices(WORDS, k=10))} {number}"


def grow(home: Home, events: int, *, rows: int = ROWS) -> None:
    """Land `events` events in `home`, `rows` a segment."""
    chance = np.random.default_rng(4)
    responses = max(1, events // 10)
    _land(home, "responses", responses, rows, partial(_responses, total=responses))
    given = events - responses
    keep_vectors(home, [text_of(number) for number in range(0, given, NEW_TEXT_OF)])
    _land(home, "feedback", given, rows, partial(_feedback, events=events, chance=chance))


def keep_vectors(home: Home, texts: Sequence[str]) -> None:
    """Random unit vectors for `texts`, in the place of those that days of embedding would have left in the home."""
    chance = np.random.default_rng(5)
    folder = home.embeddings / embedding_name(home)
    for first in range(0, len(texts), 50_000):
        chosen = texts[first : first + 50_000]
        vectors = chance.normal(size=(len(chosen), DIMENSIONS)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        keep(folder, [text_hash(text) for text in chosen], vectors)


def _land(home: Home, topic: str, total: int, rows: int, make: Callable[[int, int], pl.DataFrame]) -> None:
    """Spread `total` events over the partitions, and write each as segments in the order of arrival."""
    starts = dict.fromkeys(range(FIRST_PARTITION, FIRST_PARTITION + PARTITIONS), 0)
    for number, first in enumerate(range(0, total, rows)):
        partition = FIRST_PARTITION + number % PARTITIONS
        frame: pl.DataFrame = make(first, min(rows, total - first))
        start = starts[partition]
        frame = frame.with_columns(
            topic=pl.lit(topic),
            log_partition=pl.lit(partition, pl.Int32),
            log_offset=pl.int_range(start, start + frame.height, dtype=pl.Int64),
            record_headers=pl.lit('[["content-type","YXBwbGljYXRpb24vY2xvdWRldmVudHMranNvbg=="]]'),
            repaired=pl.lit(value=False),
            source=pl.lit("app"),
            content_hash=pl.concat_str([pl.col("event_id").hash(seed).cast(pl.String) for seed in range(3)]),
        )
        frame = frame.with_columns(canonical=_canonical(topic)).with_columns(raw=pl.col("canonical").cast(pl.Binary))
        missing = [pl.lit(None, kind).alias(name) for name, kind in schema(topic).items() if name not in frame.columns]
        frame = frame.with_columns(missing).select(schema(topic).names()).cast(schema(topic))
        starts[partition] += frame.height
        write(home, start, frame, Footer(topic, partition, starts[partition], "grown", "grown", 0))


def _arrival(first: int, count: int, total: int) -> pl.Series:
    step = DAYS * 86_400_000_000 / total
    moments = (np.arange(first, first + count) * step).astype(np.int64) + int(BEGINS.timestamp() * 1e6)
    return pl.Series("received_at", moments).cast(pl.Datetime("us")).dt.replace_time_zone("UTC")


def _responses(first: int, count: int, total: int) -> pl.DataFrame:
    numbers = pl.Series("number", np.arange(first, first + count))
    return pl.DataFrame({"number": numbers, "received_at": _arrival(first, count, total)}).select(
        pl.format("served-{}", "number").alias("event_id"),
        pl.lit("response.served.v1").alias("type"),
        "received_at",
        (pl.col("received_at") - timedelta(seconds=2)).alias("occurred_at"),
        pl.format("r{}", "number").alias("response_id"),
        pl.format("c{}", pl.col("number") // 3).alias("conversation_id"),
        pl.format("u{}", pl.col("number") % PEOPLE).alias("person_id"),
        pl.format("What is the best way to plan step {} of the migration?", "number").alias("prompt"),
        pl.format("Start with step {}: write down what has to hold, then change one thing.", "number").alias(
            "completion"
        ),
        pl.format("model-{}", pl.col("number") % 4).alias("model"),
        pl.lit("en").alias("language"),
        pl.lit("external").alias("audience"),
        (pl.col("number") % 900 + 100).cast(pl.Float64).alias("latency_ms"),
    )


def _feedback(first: int, count: int, events: int, chance: np.random.Generator) -> pl.DataFrame:
    responses = max(1, events // 10)
    total = events - responses
    numbers = np.arange(first, first + count)
    newest = numbers * responses // total
    target = np.maximum(newest - chance.geometric(1 / 20_000, count), 0)
    anything = chance.random(count) < 0.01  # somebody reads an old conversation again
    target[anything] = chance.integers(0, responses, int(anything.sum()))
    people = (PEOPLE * chance.random(count) ** 2).astype(np.int64)
    said = numbers % NEW_TEXT_OF == 0
    texts = [
        text_of(number) if is_said else None for number, is_said in zip(numbers.tolist(), said.tolist(), strict=True)
    ]
    frame = pl.DataFrame(
        {
            "number": numbers, "target": target, "person": people, "down": chance.random(count) < 0.3, "text": texts,
            "received_at": _arrival(first, count, total),
        }
    )  # fmt: skip
    is_text = pl.col("text").is_not_null()
    return frame.select(
        pl.format("given-{}", "number").alias("event_id"),
        pl.when(is_text).then(pl.lit("feedback.comment_left.v1")).otherwise(pl.lit("feedback.thumb_given.v2"))
        .alias("type"),
        "received_at",
        (pl.col("received_at") - timedelta(seconds=2)).alias("occurred_at"),
        pl.lit("response").alias("target_kind"),
        pl.format("r{}", "target").alias("target_id"),
        pl.lit("human").alias("author_kind"),
        pl.format("u{}", "person").alias("author_id"),
        pl.when(is_text).then(None).otherwise(pl.lit("thumb")).alias("metric"),
        pl.when(is_text).then(None).when(pl.col("down")).then(pl.lit("down")).otherwise(pl.lit("up")).alias("thumb"),
        "text",
    )  # fmt: skip


def _canonical(topic: str) -> pl.Expr:
    """The event as JSON: the same fields as the columns."""
    names = [name for name, kind in schema(topic).items() if kind == pl.String]
    said = {
        "responses": ("response_id", "conversation_id", "person_id", "model", "prompt", "completion"),
        "feedback": ("target_id", "author_id", "thumb", "metric", "text"),
    }[topic]
    fields = [
        pl.concat_str([pl.lit(f'"{name}":"'), pl.col(name).fill_null(""), pl.lit('"')])
        for name in said
        if name in names
    ]
    return pl.concat_str(
        [pl.lit('{"data":{'), pl.concat_str(fields, separator=","), pl.lit('},"id":"'), "event_id",
         pl.lit('","source":"app","specversion":"1.0","type":"'), "type", pl.lit('"}')]
    )  # fmt: skip


if __name__ == "__main__":
    grow(Home.open(Path(sys.argv[1])), int(sys.argv[2]))
