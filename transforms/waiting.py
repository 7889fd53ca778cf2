"""Texts that wait for a mode since their vectors are not known: what a build left out that was not to wait for them."""

import time

from ingest.home import Home
from ingest.reader import query
from ingest.vectors import embed, embedding_name, find

WAITING = """
    select distinct text_hash, normal_form
    from int_texts
    where normal_form <> '' and text_hash not in (select text_hash from int_text_assignments)
"""
AT_ONCE = 32
"""Texts that are embedded before another look at the clock: a second's work."""


def waiting_texts(home: Home, *, known: bool = False, at_most: int = 100_000) -> list[tuple[str, str]]:
    """(text hash, normal form) of those that the published build waits for, by hash; `known`: whose vector has come."""
    rows = query(home, f"{WAITING} order by text_hash").rows
    vectors = find(home.embeddings / embedding_name(home), [row[0] for row in rows])
    return [(str(row[0]), str(row[1])) for row in rows if (row[0] in vectors) == known][:at_most]


def embed_waiting(home: Home, seconds: float) -> int:
    """Embed texts that the published build waits for, for about `seconds`; how many. The next build has their modes."""
    ends = time.monotonic() + seconds
    done = 0
    texts = waiting_texts(home)
    while texts and time.monotonic() < ends:
        now, texts = texts[:AT_ONCE], texts[AT_ONCE:]
        embed(home, [text_hash for text_hash, _ in now], [form for _, form in now])
        done += len(now)
    return done
