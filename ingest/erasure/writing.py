"""A person in bytes that are no event: a record in quarantine, a row that an importer refused. Pure.

Such bytes can't be read field by field, so the rule is what stands in them: the person's id as a JSON string, or as a
word of its own where it is long enough to be one (5 characters, or 2 with a letter among them); or a text that is being
erased, of at least 16 characters, plain or as JSON writes it. It may take too much, and then a record is gone that
nobody could read.
"""

import json
import re
from collections.abc import Iterable

import polars as pl

SHORTEST_TEXT = 16


def person_patterns(person_id: str) -> re.Pattern[bytes]:
    """What finds the id of a person in bytes."""
    quoted = {json.dumps(person_id, ensure_ascii=ascii_only).encode() for ascii_only in (True, False)}
    inside = {inner[1:-1] for inner in quoted}
    found = [re.escape(each) for each in quoted]
    found += [rb'\\"' + re.escape(each) + rb'\\"' for each in inside]  # JSON in JSON
    if len(person_id) >= 5 or (len(person_id) >= 2 and any(letter.isalpha() for letter in person_id)):
        found += [rb"(?<![\w.@-])" + re.escape(each) + rb"(?![\w@-])" for each in inside | {person_id.encode()}]
    return re.compile(b"|".join(sorted(found)))


def holding(contents: list[bytes], texts: Iterable[str]) -> list[bool]:
    """For each of `contents`, whether one of `texts` stands in it."""
    wanted = {text.strip() for text in texts if len(text.strip()) >= SHORTEST_TEXT}
    forms: set[str] = set()
    for text in wanted:
        forms.add(text)
        for ascii_only in (True, False):
            once = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
            forms |= {once, json.dumps(once, ensure_ascii=ascii_only)[1:-1], text.replace('"', '""')}
    if not forms or not contents:
        return [False] * len(contents)
    # Bytes as Latin-1, one letter each: all texts are looked for at once, in bytes that may be no UTF-8.
    within = pl.Series([content.decode("latin-1") for content in contents])
    return within.str.contains_any([form.encode().decode("latin-1") for form in sorted(forms)]).to_list()
