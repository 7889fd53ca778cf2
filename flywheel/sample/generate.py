"""The bundled sample: three weeks of a coding assistant with two checkpoints, as raw lines with real life's dirt.

The same seed gives the same bytes. What must become of the lines is counted while they are written (`Expected`), so
that tests hold the marts against it. No person and no product in it is real.
"""

from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import cache
from random import Random
from typing import Any, NamedTuple

from flywheel.sample import dirt, rollouts
from flywheel.sample.answers import OBEDIENCE, answer
from flywheel.sample.ledger import (
    COMMENT,
    REGISTERED,
    REPORT,
    SCORE,
    SERVED,
    THUMB,
    THUMB_V1,
    Entry,
    Expected,
    Ledger,
    Line,
)
from flywheel.sample.texts import CHATTER, CLUSTERS, PRAISE, Writer, bank

START = datetime(2025, 6, 2, 6, 0, tzinfo=UTC)
DAYS = 21
RESPONSES = 600
PEOPLE = 140
WEB, IDE, REVIEW = "assistant/web", "assistant/ide", "assistant/review"

COMMENTS_A_MODE, COMMENTS_A_CLUSTER, PRAISES, CHATTERS = 32, 32, 120, 24
VOTED = 0.65
"""Share of comments whose author also gave a thumb."""

FAITHFUL = 0.9
"""Share of those thumbs that agree with the comment: people click wrong, and praise what they complain about."""


class Sample(NamedTuple):
    """Lines in the order of their arrival, and what must become of them."""

    lines: list[Line]
    expected: Expected


class Served(NamedTuple):
    """A response, as far as feedback needs it."""

    entry: Entry
    number: int
    data: dict[str, Any]
    moment: datetime
    obeyed: bool | None


def lines(seed: int = 0) -> list[Line]:
    """About 2,000 records as (topic, key, value)."""
    return sample(seed).lines


@cache
def sample(seed: int = 0) -> Sample:
    """The lines with the facts about them."""
    maker = _Maker(seed)
    maker.serve()
    maker.comment()
    maker.vote()
    maker.score()
    maker.report()
    dirt.spoil(maker.random, maker.ledger, maker.writer, START + timedelta(days=DAYS))
    rollouts.add(seed, maker.ledger, ((served.data, served.moment) for served in maker.served))
    return Sample(maker.ledger.lines(), maker.ledger.expected(maker.instructions()))


class _Maker:
    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.ledger = Ledger()
        self.writer = Writer(self.random)
        self.served: list[Served] = []
        self.pairs: set[tuple[str, str]] = set()
        """(person, response id) that have given feedback: nobody's votes meet by accident."""

    def serve(self) -> None:
        """Two checkpoints and their responses, two of them a conversation."""
        for checkpoint in OBEDIENCE:
            registered = {"checkpoint_id": checkpoint, "role": "policy", "method": "served"}
            self.ledger.write(REGISTERED, WEB, registered, START - timedelta(days=1))
        moments = sorted(self._moment() for _ in range(RESPONSES // 2))
        for conversation, moment in enumerate(moments):
            checkpoint, person = self.random.choice(tuple(OBEDIENCE)), self._person()
            for turn in range(2):
                self._serve(2 * conversation + turn, checkpoint, person, moment + timedelta(minutes=4 * turn))

    def _serve(self, number: int, checkpoint: str, person: str, moment: datetime) -> None:
        random = self.random
        said = answer(random, checkpoint, instructed=number % 3 == 0)
        unknown = number % 60 == 59
        data: dict[str, Any] = {
            "response_id": f"r-{number:04}",
            "prompt": None if unknown else said.prompt,
            "completion": None if unknown else said.completion,
            "conversation_id": f"c-{number // 2:04}",
            "message_id": f"m-{number:04}",
            "trace_id": f"t-{number:04}",
            "person_id": person,
            "model": checkpoint.replace("a", "A", 1) if number % 30 == 7 else checkpoint,
            "checkpoint_id": checkpoint,
            "audience": "internal" if random.random() < 0.15 else "external",
            "language": "en",
            "latency_ms": round(random.lognormvariate(7.5, 0.6), 1),
            "cost_usd": round(random.lognormvariate(-4.5, 0.8), 6),
            "tool_calls": random.choice((0, 0, 1, 2, 3, 7)),
        }
        entry = self.ledger.write(SERVED, IDE if number % 4 == 1 else WEB, data, moment)
        self.served.append(Served(entry, number, data, moment, None if unknown else said.obeyed))

    def instructions(self) -> dict[str, tuple[int, int]]:
        """Checkpoint -> (obeyed, asked)."""
        asked = Counter(served.data["checkpoint_id"] for served in self.served if served.obeyed is not None)
        obeyed = Counter(served.data["checkpoint_id"] for served in self.served if served.obeyed)
        return {checkpoint: (obeyed[checkpoint], asked[checkpoint]) for checkpoint in OBEDIENCE}

    def comment(self) -> None:
        """What people wrote, most of it with a thumb that fits. Broken instructions draw the complaints about them."""
        themes = [theme for theme in bank().complaints() for _ in range(COMMENTS_A_MODE)]
        themes += [theme for theme in CLUSTERS for _ in range(COMMENTS_A_CLUSTER)]
        themes += [PRAISE] * PRAISES + [CHATTER] * CHATTERS
        self.random.shuffle(themes)
        broken = [served for served in self.served if served.obeyed is False]
        fine = [served for served in self.served if served.obeyed is not False]
        for number, theme in enumerate(themes):
            pool = broken if theme == "instruction_following" else fine if theme == PRAISE else self.served
            served, person = self._pair(pool)
            delay = timedelta(seconds=self.random.randint(20, 7_200))
            given = self._given(served, person)
            moment = None if number % 90 == 17 else served.moment + delay
            late = (START + timedelta(days=DAYS, hours=number)).timestamp() if number % 60 == 5 else None
            place = late or (served.moment + delay).timestamp()
            comment = {**given, "text": self.writer.comment(theme)}
            self.ledger.write(COMMENT, self._source(served), comment, moment, arrives=place)
            self.ledger.themes[theme] += 1
            if self.random.random() < VOTED:
                self._vote(served, given, self._opinion(theme), served.moment + delay + timedelta(seconds=3))
            else:
                self.ledger.counts["texts_without_vote"] += 1

    def _opinion(self, theme: str) -> str:
        if theme == CHATTER:
            return self.random.choice(("up", "down"))
        right, wrong = ("up", "down") if theme == PRAISE else ("down", "up")
        return right if self.random.random() < FAITHFUL else wrong

    def _vote(self, served: Served, given: dict[str, Any], thumb: str | None, moment: datetime, turn: int = 1) -> Entry:
        thumbed = {**given, "thumb": thumb, "metric": "thumb", "sequence": turn}
        return self.ledger.write(THUMB, self._source(served), thumbed, moment)

    def vote(self) -> None:
        """Thumbs without words: old clients, minds that change, votes withdrawn, second raters, storms of clicks."""
        hour = timedelta(hours=1)
        for _ in range(30):
            served, person = self._pair(self.served)
            vote = {**self._given(served, person), "up": self.random.random() < 0.6}
            self.ledger.write(THUMB_V1, self._source(served), vote, served.moment + hour)
        for turn in range(36):
            served, person = self._pair(self.served)
            given = self._given(served, person)
            first = self.random.choice(("up", "down"))
            second = None if turn < 12 else "down" if first == "up" else "up"
            self._vote(served, given, first, served.moment + hour)
            self._vote(served, given, second, served.moment + 26 * hour, turn=2)
        for served in self.random.sample(self.served, 20):
            for thumb in ("up", self.random.choice(("up", "down"))):
                rater = self._pair([served])[1]
                self._vote(served, self._given(served, rater), thumb, served.moment + 2 * hour)
        for served in self.random.sample(self.served, 3):
            given = self._given(served, self._pair([served])[1])
            for click in range(6):
                moment = served.moment + hour + timedelta(milliseconds=300 * click)
                self._vote(served, given, "down", moment, turn=click + 1)

    def score(self) -> None:
        """Scores of every kind; 0, false, empty and null among them."""
        random = self.random
        human, llm = {"kind": "human", "id": "reviewer-1"}, {"kind": "llm", "id": "grader-2"}
        fifth = {"scale_min": 1.0, "scale_max": 5.0}
        unit = {"scale_min": 0.0, "scale_max": 1.0}
        forms: list[tuple[int, dict[str, Any], dict[str, Any]]] = [
            (36, human, {"metric": "helpfulness", "data_type": "numeric", **fifth}),
            (10, human, {"metric": "Helpfulness", "data_type": "numeric", **fifth}),
            (10, llm, {"metric": "groundedness", "data_type": "numeric", **unit}),
            (4, llm, {"metric": "groundedness", "data_type": "numeric", "value": 0.0, **unit}),
            (8, human, {"metric": "resolved", "data_type": "boolean", "value": 1.0}),
            (6, human, {"metric": "resolved", "data_type": "boolean", "value": 0.0}),
            (8, llm, {"metric": "tone", "data_type": "categorical", "label": "neutral"}),
            (2, llm, {"metric": "tone", "data_type": "categorical", "label": ""}),
            (4, human, {"metric": "answer", "data_type": "correction", "label": "Read the return code first."}),
            (6, human, {"metric": "helpfulness", "data_type": "numeric", "value": None, "status": "skipped", **fifth}),
            (4, llm, {"metric": "groundedness", "data_type": "numeric", "value": None, "status": "errored", **unit}),
        ]
        for count, author, form in forms:
            for served in random.sample(self.served, count):
                given = {"target": {"kind": "response", "id": served.data["response_id"]}, "author": author}
                drawn = float(random.randint(1, 5)) if form.get("scale_max") == 5.0 else round(random.random(), 3)
                value = {"value": drawn} if form["data_type"] == "numeric" and "value" not in form else {}
                self.ledger.write(SCORE, REVIEW, {**given, **form, **value}, served.moment + timedelta(days=1))

    def report(self) -> None:
        """Dogfood reports, from memory or with a link, and those that a rule files."""
        themes = [*bank().complaints(), *bank().complaints(), *bank().complaints(), *CLUSTERS[:1]]
        for number, theme in enumerate(themes):
            served = self.random.choice(self.served)
            known = number % 3 == 0
            report = {
                "target": {"kind": "response", "id": served.data["response_id"]} if known else None,
                "author": {"kind": "human", "id": self._person()},
                "kind": "dogfood",
                "text": self.writer.comment(theme),
                "rating": float(self.random.randint(1, 3)) if number % 2 else None,
                "scale_min": 1.0 if number % 2 else None,
                "scale_max": 5.0 if number % 2 else None,
                "link": f"https://assistant.example/t/{served.data['trace_id']}" if number % 4 == 0 else None,
            }
            self.ledger.write(REPORT, WEB, report, served.moment + timedelta(hours=5))
            self.ledger.themes[theme] += 1
        for served in self.random.sample(self.served, 6):
            report = {
                "target": {"kind": "trace", "id": served.data["trace_id"]},
                "author": {"kind": "code", "id": "rule:slow-answer"},
                "kind": "automated",
                "text": f"The answer took {served.data['latency_ms'] / 1000:.1f} s, which is above the limit.",
            }
            self.ledger.write(REPORT, REVIEW, report, served.moment + timedelta(minutes=1))

    def _moment(self) -> datetime:
        """A working hour of one of the days, weekends thin."""
        while True:
            day = self.random.randrange(DAYS)
            if day % 7 < 5 or self.random.random() < 0.25:
                return START + timedelta(days=day, seconds=self.random.randrange(11 * 3600))

    def _person(self) -> str:
        return f"u-{self.random.randrange(PEOPLE):03}"

    def _pair(self, pool: list[Served]) -> tuple[Served, str]:
        """A response of `pool` and a person who hasn't yet said anything about it."""
        while True:
            served, person = self.random.choice(pool), self._person()
            pair = (person, served.data["response_id"])
            if pair not in self.pairs:
                self.pairs.add(pair)
                return served, person

    def _given(self, served: Served, person: str) -> dict[str, Any]:
        """Target and author; old clients name the message or the trace."""
        kind = self.random.choices(("response", "message", "trace"), (8, 1, 1))[0]
        return {"target": {"kind": kind, "id": served.data[f"{kind}_id"]}, "author": {"kind": "human", "id": person}}

    def _source(self, served: Served) -> str:
        return IDE if served.number % 4 == 1 else WEB
