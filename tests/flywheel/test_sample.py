"""The bundled sample: the same every time, as dirty as it says, and what it says of itself is true."""

import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from flywheel.sample import feed, lines, sample
from flywheel.sample.texts import CLUSTERS, bank
from ingest.log import Entry, open_log
from ingest.reports import RULES
from ingest.reports.episode import of_rollout
from models.errors import BadEvent
from models.events import AnyEvent, parse
from models.events.comment import CommentLeft
from models.events.response import ResponseServed
from models.events.rollout import RolloutRecorded
from models.events.thumb import ThumbGiven

EXPECTED = sample().expected


def accepted() -> dict[tuple[str, str], AnyEvent]:
    """What a reader of the lines in their order accepts; the rest is counted by the tests below."""
    events: dict[tuple[str, str], AnyEvent] = {}
    for topic, _, value in lines():
        try:
            event = parse(value)
        except BadEvent:
            continue
        if event.topic == topic:
            events.setdefault((event.source, event.id), event)
    return events


def thumbs() -> list[ThumbGiven]:
    return [event for event in accepted().values() if isinstance(event, ThumbGiven)]


def comments() -> list[CommentLeft]:
    return [event for event in accepted().values() if isinstance(event, CommentLeft)]


def test_the_same_seed_gives_the_same_bytes() -> None:
    sample.cache_clear()
    first = lines(0)
    sample.cache_clear()
    assert lines(0) == first
    assert lines(1) != first
    assert 1_900 <= len(first) == EXPECTED.records <= 2_200


def test_every_record_is_accounted_for() -> None:
    seen: dict[tuple[str, str], str] = {}
    counts: Counter[str] = Counter()
    types: Counter[str] = Counter()
    for topic, key, value in lines():
        try:
            event = parse(value)
        except BadEvent:
            counts["not_events"] += 1
            continue
        if event.topic != topic:
            counts["not_events"] += 1
            continue
        content = event.content_hash()
        first = seen.setdefault((event.source, event.id), content)
        if first != content:
            counts["conflicts"] += 1
        elif types.total() + 1 == len(seen):
            types[event.type] += 1
            counts["repaired"] += event.repaired
            counts["without_time"] += event.occurred_at is None
            counts["skewed"] += event.occurred_at is not None and event.occurred_at.year == 2031
            assert key == event.key
        else:
            counts["duplicates"] += 1
    assert dict(types) == EXPECTED.accepted
    for name, count in counts.items():
        assert count == getattr(EXPECTED, name), name
    assert EXPECTED.records == types.total() + sum(counts[name] for name in ("not_events", "conflicts", "duplicates"))


def test_the_last_thumb_of_a_voter_counts() -> None:
    latest: dict[tuple[Any, ...], ThumbGiven] = {}
    for thumb in sorted(thumbs(), key=lambda thumb: (str(thumb.occurred_at), thumb.sequence or 0)):
        latest[thumb.source, thumb.target, thumb.metric, thumb.author] = thumb
    assert Counter(thumb.thumb or "cleared" for thumb in thumbs()) == EXPECTED.thumbs
    assert Counter(thumb.thumb or "cleared" for thumb in latest.values()) == EXPECTED.current_thumbs


def test_feedback_that_waits_heals_or_stays_an_orphan() -> None:
    arrival: dict[str, int] = {}
    for place, event in enumerate(accepted().values()):
        if isinstance(event, ResponseServed):
            arrival |= dict.fromkeys((event.response_id, str(event.message_id), str(event.trace_id)), place)
    targets = [
        (place, target.id)
        for place, event in enumerate(accepted().values())
        if (target := getattr(event, "target", None)) is not None
    ]
    assert sum(target not in arrival for _, target in targets) == EXPECTED.orphans
    early = sum(place < arrival[target] for place, target in targets if target.startswith("r-") and target in arrival)
    assert early == EXPECTED.before_response > 0


def obeys(prompt: str, completion: str) -> bool | None:
    if found := re.search(r"at most (\d+) words", prompt):
        return len(completion.split()) <= int(found[1])
    if found := re.search(r"exactly (\d+) bullet points", prompt):
        return len(re.findall(r"^- ", completion, re.MULTILINE)) == int(found[1])
    if "Reply as JSON." in prompt:
        try:
            return isinstance(json.loads(completion), dict)
        except ValueError:
            return False
    if "in lower case" in prompt:
        return completion == completion.lower()
    if found := re.search(r'Do not mention "(\w+)"\.', prompt):
        return found[1].lower() not in completion.lower()
    if 'End with the word "DONE".' in prompt:
        return completion.endswith("DONE")
    return None


def test_completions_really_obey_or_really_do_not() -> None:
    verdicts: dict[str, list[bool]] = defaultdict(list)
    for event in accepted().values():
        if isinstance(event, ResponseServed) and event.prompt is not None and event.completion is not None:
            verdict = obeys(event.prompt, event.completion)
            if verdict is not None:
                verdicts[str(event.checkpoint_id)].append(verdict)
    assert {name: (sum(seen), len(seen)) for name, seen in verdicts.items()} == EXPECTED.instructions
    share = {name: sum(seen) / len(seen) for name, seen in verdicts.items()}
    assert share["assistant-b"] > share["assistant-a"] + 0.2


def test_comments_differ_from_each_other_and_come_from_many_people() -> None:
    texts = [comment.text for comment in comments()]
    assert len(set(texts)) > 0.95 * len(texts)
    for cluster in CLUSTERS:
        openings = [says.split("{thing}")[0] for says in bank().themes[cluster].says]
        openings = [opening.lower() for opening in openings if len(opening) > 8]
        found = [comment for comment in comments() if comment.text.lower().startswith(tuple(openings))]
        assert len(found) >= 20
        assert len({comment.author.id for comment in found}) >= 15
        assert len({comment.occurred_at.date() for comment in found if comment.occurred_at}) >= 8


def test_votes_fit_the_comments_mostly_and_a_third_has_none() -> None:
    votes = {(thumb.source, thumb.target, thumb.author): thumb.thumb for thumb in thumbs()}
    given = [votes.get((comment.source, comment.target, comment.author), "none") for comment in comments()]
    praise = [opening.split("{thing}")[0].lower() for opening in bank().themes["praise"].says]
    praised = [comment.text.lower().startswith(tuple(filter(None, praise))) for comment in comments()]
    assert 0.3 < given.count("none") / len(given) < 0.45
    fits = [vote == ("up" if good else "down") for vote, good in zip(given, praised, strict=True) if vote != "none"]
    assert 0.8 < sum(fits) / len(fits) < 0.97


def test_every_theme_is_there_in_numbers() -> None:
    assert set(EXPECTED.themes) == set(bank().themes)
    assert min(EXPECTED.themes.values()) >= 20
    for theme in bank().themes.values():
        assert len(set(theme.says)) >= 15


def test_rules_find_what_was_put_into_the_rollouts_and_nothing_else() -> None:
    rollouts = [event for event in accepted().values() if isinstance(event, RolloutRecorded)]
    found = Counter(
        name for rollout in rollouts for name, rule in RULES.items() for _ in rule.look(of_rollout(rollout))
    )
    assert dict(found) == EXPECTED.findings
    assert set(found) == set(RULES)
    assert len(rollouts) > found.total()


@pytest.mark.parametrize("already", [0, 700])
def test_feeding_twice_or_after_a_kill_adds_only_what_is_missing(tmp_path: Path, already: int) -> None:
    with open_log(None, tmp_path) as log:
        log.append([Entry(*line) for line in lines()[:already]])
        assert feed(log) == EXPECTED.records - already
        assert feed(log) == 0
        assert sum(sum(log.end_offsets(topic).values()) for topic in log.topics()) == EXPECTED.records
