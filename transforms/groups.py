"""Groups of near-duplicates as tables: from when on a build must group anew, and under which leaders. Decision 0013.

Queries for DuckDB around `text.near_duplicates.leaders`; reads relations, writes nothing.
"""

from typing import Any, Final

import numpy as np
import polars as pl

from text.near_duplicates import BANDS, NEAR_DUPLICATE_BANDS, leaders

NOTHING_KNOWN: Final = "select '' as text_hash, '' as group_hash, now() as first_at where false"

MOVED: Final = """
with arrived as (
    select keyed.text_hash, min(landed.received_at) as first_at
    from landed
    inner join texts as keyed on md5(landed.text) = keyed.text_key
    where keyed.normal_form <> ''
    group by keyed.text_hash
),

changed as (
    select min(arrived.first_at) as since
    from arrived
    left join known on arrived.text_hash = known.text_hash
    where known.first_at is distinct from arrived.first_at
)

select arrived.text_hash, arrived.first_at
from arrived, changed
where arrived.first_at >= changed.since
"""

LED: Final = f"""
with before as (
    select text_hash, first_at
    from known
    where group_hash = text_hash and text_hash not in (select text_hash from moved)
),

alike as (
    select ours.text_hash, before.text_hash as led_by, before.first_at
    from moved
    inner join bands as ours on moved.text_hash = ours.text_hash
    inner join bands as theirs on ours.band = theirs.band and ours.band_hash = theirs.band_hash
    inner join before on theirs.text_hash = before.text_hash
    group by all
    having count(*) >= {NEAR_DUPLICATE_BANDS}
)

select moved.text_hash, moved.first_at, arg_min(alike.led_by, (alike.first_at, alike.led_by)) as led_by
from moved
left join alike on moved.text_hash = alike.text_hash
group by all
order by moved.first_at, moved.text_hash
"""

OPEN_BANDS: Final = """
select bands.band_hash
from bands
inner join unled on bands.text_hash = unled.text_hash
order by unled.place, bands.band
"""


def grouped(session: Any, landed: Any, texts: Any, bands: Any, known: Any) -> pl.DataFrame:
    """`text_hash`, `group_hash`, `first_at` of the texts that must be grouped anew, by DuckDB relations of one session.

    `landed` (`text`, `received_at`) is all that was ever written; `texts` and `bands` are what is known of each text;
    `known` has what the last build said. A text belongs to the earliest text (by arrival, then hash) that leads and is
    nearly the same, and leads if it belongs to none. What came before the first text that is new, or is now known to
    have come earlier, stays as it is.
    """
    moved = session.sql(MOVED).pl()
    if moved.is_empty():
        return pl.DataFrame(
            schema={"text_hash": pl.String, "group_hash": pl.String, "first_at": moved["first_at"].dtype}
        )
    led = session.sql(LED).pl()
    unled = led.filter(pl.col("led_by").is_null()).select("text_hash").with_row_index("place")
    hashes = session.sql(OPEN_BANDS).fetchnumpy()["band_hash"]
    own = leaders(np.ascontiguousarray(hashes).view(np.uint64).reshape(-1, BANDS))
    leads = unled.with_columns(own=unled["text_hash"].gather(own)).select("text_hash", "own")
    return led.join(leads, on="text_hash", how="left", maintain_order="left").select(
        "text_hash", pl.coalesce("led_by", "own").alias("group_hash"), "first_at"
    )


def led_by_groups(members: pl.DataFrame, groups: pl.DataFrame) -> pl.DataFrame:
    """`members` (`mode_id`, `text_hash`) with the leader of each text's group in its place, each once."""
    leading = members.join(groups.select("text_hash", "group_hash"), on="text_hash")
    return leading.select("mode_id", pl.col("group_hash").alias("text_hash")).unique().sort("mode_id", "text_hash")


def of_groups(found: pl.DataFrame, groups: pl.DataFrame) -> pl.DataFrame:
    """What was `found` of leaders (`text_hash`, ...) said of each text of `groups` (`text_hash`, `group_hash`)."""
    said = found.rename({"text_hash": "group_hash"}).join(groups, on="group_hash")
    return said.select(*found.columns, "group_hash")
