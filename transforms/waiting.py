"""Texts that wait for a mode since their vectors are not known: what a build left out that was not to wait for them."""

import time

from ingest.home import Home
from ingest.reader import reading
from ingest.vectors import embed, embedding_name, find
from text.normal_form import normal_form, text_hash

WAITING = """
    select distinct texts.text_hash, texts.normal_form
    from int_text_groups as groups
    inner join int_texts as texts on groups.group_hash = texts.text_hash
    where groups.text_hash not in (select text_hash from int_text_assignments)
"""
AT_ONCE = 32
"""Texts that are embedded before another look at the clock: a second's work."""


def waiting_texts(home: Home, *, known: bool = False, at_most: int = 100_000) -> list[tuple[str, str]]:
    """(text hash, normal form) of those that the published build waits for, by hash, after the examples that assigning
    goes by; `known`: whose vector has come, none while an example has none.
    """
    with reading(home) as ask:
        rows = [(str(text), str(form)) for text, form in ask(f"{WAITING} order by texts.text_hash").rows]
        seeds = sorted(str(row[0]) for row in ask("select text from int_mode_examples").rows) if rows else []
    examples = [(text_hash(text), normal_form(text)) for text in seeds]
    vectors = find(home.embeddings / embedding_name(home), [text for text, _ in (*examples, *rows)])
    lacking = [each for each in examples if each[0] not in vectors]
    if known:
        return [] if lacking else [each for each in rows if each[0] in vectors][:at_most]
    return [*lacking, *(each for each in rows if each[0] not in vectors)][:at_most]


def embed_waiting(home: Home, seconds: float) -> int:
    """Embed texts that the published build waits for, for `seconds`; how many. The next build has their modes."""
    ends = time.monotonic() + seconds
    done, longest = 0, 0.0
    texts = waiting_texts(home)
    while texts and (done == 0 or time.monotonic() + longest < ends):
        began = time.monotonic()
        now, texts = texts[:AT_ONCE], texts[AT_ONCE:]
        embed(home, [text_hash for text_hash, _ in now], [form for _, form in now])
        done += len(now)
        longest = max(longest, time.monotonic() - began)
    return done
