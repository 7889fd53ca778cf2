"""The baseline judge: counts words of praise and complaint from a list that we wrote. What a trained judge must beat.

A checkpoint is immutable, so a change to a list or a weight needs a new number in CHECKPOINT_ID. English only; no
negation beyond the word before, no irony.
"""

from collections.abc import Callable, Sequence
from math import exp
from pathlib import Path

import regex

from models.events.checkpoint import CheckpointRegistered
from models.ids import event_id
from models.protocols import Judgement
from text.normal_form import normal_form

CHECKPOINT_ID = "judge-lexicon-1"

BASELINE = CheckpointRegistered(
    id=event_id("checkpoint", CHECKPOINT_ID),
    source="flywheel/training",
    checkpoint_id=CHECKPOINT_ID,
    role="judge",
    method="lexicon",
)
"""Registers the baseline; appended with the first specs."""

_NEGATIVE = """
awful bad badly bland boring bloated broke broken bug buggy cheap clumsy confused confusing contradicts convoluted
crash crashed crashes cut delayed disappointed disappointing doubtful dull error errors exceeds exaggerated fabricated
fail failed fails failure fake false flawed forgets forgot fumbled garbage generic gibberish gave hallucinated
hallucinates hallucination hate horrible ignored ignores ignoring improper inaccurate inappropriate incoherent
incomplete inconsistent incorrect insufficient invented invents irrelevant lack lacked lacking lacks laggy lazy lost
made mediocre messy misleading misread missed misses missing mistake mistakes mistaken misunderstood nonsense
nothing obsolete off omits outdated overlong pointless poor poorly preachy problem problems ramble rambles rambling
redundant refused refuses repeat repeats repetitive rude shallow skipped slow sloppy strange stuck stupid superficial
terrible timeout ugly unable unclear unfinished unhelpful unnecessary unrealistic unrelated unsafe unusable useless
vague verbose violates waste wasted weak weird worse worst wrong wrongly
"""

_POSITIVE = """
accurate accurately amazing appreciate appreciated awesome beautiful beautifully brilliant clean clear clearly clever
coherent complete comprehensive concise correct correctly delighted detailed elegant engaging enjoyed excellent
exactly fantastic fast fixed flawless fun good grateful great happy helped helpful helps impressed impressive
informative insightful love loved lovely neat nice nicely outstanding perfect perfectly pleasant pleased polished
precise quick readable relevant solid solved spot strong succinct super superb thank thanks thorough useful
valuable well wonderful worked works
"""

_TURNS = """
not no never isn't wasn't doesn't didn't don't can't couldn't won't hardly barely neither nor without
"""

_HEDGES = "but however although though yet instead unfortunately still again should"

NEGATIVE, POSITIVE = frozenset(_NEGATIVE.split()), frozenset(_POSITIVE.split())
TURNS = frozenset(_TURNS.split())
"""Before praise they make it a complaint, and the other way round at half weight; alone they lean to blame."""
HEDGES = frozenset(_HEDGES.split())

MODE_WORDS: dict[str, tuple[str, ...]] = {
    "instruction_following": (
        "asked for", "told it", "i said", "instruction", "limit", "word count", "words", "format", "json", "bullet",
        "constraint", "requirement", "exceed", "in spanish", "forbid", "forbade", "specified", "violat",
    ),
    "scope_calibration": (
        "incomplete", "cut off", "half done", "unfinished", "only did", "shallow", "superficial", "lack of depth",
        "lacks depth", "more detail", "stopped", "nobody asked", "didn't ask", "rewrote", "partial", "too short",
    ),
    "misunderstood_request": (
        "misunderst", "misinterpret", "not what i", "different question", "wrong question", "off topic", "irrelevant",
        "unrelated", "missed the point", "wrong audience", "intent",
    ),
    "communication": (
        "verbose", "rambl", "repetit", "repeat", "wordy", "long-winded", "too long", "tone", "jargon", "preachy",
        "over-explain", "overexplain", "hard to follow", "confusing", "dull", "cold", "gushing", "boring",
    ),
    "resourcefulness": (
        "gave up", "giving up", "didn't try", "did not try", "could have looked", "could have search", "handed it back",
        "workaround", "asked me to", "do it myself", "look it up", "lazy",
    ),
    "ui_execution": (
        "layout", "button", "css", "mobile", "align", "colour", "color", "spacing", "overlap", "screen", "font",
        "responsive", "dark mode", "scroll", "modal", "margin",
    ),
    "information_handling": (
        "document", "source", "citation", "cite", "dropped", "left out", "mixed up", "table", "figures", "summary",
        "spreadsheet", "attached", "misread", "column", "key points",
    ),
    "tool_use": (
        "tool", "command", "terminal", "search result", "api call", "loop", "shell", "function call", "edit failed",
        "arguments", "grep", "same call",
    ),
    "context_memory": (
        "forgot", "forget", "earlier", "remember", "previous", "contradict", "context", "already told", "lost track",
        "consisten", "turns ago",
    ),
    "code_correctness": (
        "compile", "bug", "crash", "exception", "import", "code doesn't", "syntax", "edge case", "test fail",
        "failing test", "null", "index out", "undefined", "runtime", "off by one", "unsafe",
    ),
    "factual_accuracy": (
        "incorrect", "inaccura", "hallucinat", "made up", "invented", "fabricat", "wrong date", "false", "arithmetic",
        "calculation", "factual", "doesn't exist", "does not exist", "wrong answer", "error in reasoning",
    ),
    "refusals": (
        "refus", "declin", "as an ai", "lectur", "policy", "harmless", "can't help", "cannot help", "watered down",
        "moraliz", "moralis", "disclaimer",
    ),
    "latency_cost": (
        "slow", "latency", "timed out", "timeout", "took forever", "minutes", "seconds", "tokens", "credits",
        "expensive", "cost", "waited", "waiting",
    ),
}  # fmt: skip
"""Seeded mode -> beginnings of words and phrases. Discovered modes have none: the baseline abstains there."""

WORD_WEIGHT, TURN_WEIGHT, HEDGE_WEIGHT, OFFSET = 0.9, 0.4, 0.3, 0.0
_WORD = regex.compile(r"[\p{L}]+(?:['’][\p{L}]+)*")


class LexiconJudge:
    """See `models.protocols.Judge`. Needs no files."""

    @property
    def checkpoint_id(self) -> str:
        """See `Judge`."""
        return CHECKPOINT_ID

    def judge(self, texts: Sequence[str]) -> list[Judgement]:
        """See `Judge`."""
        return [judgement(text) for text in texts]


def opened(registered: CheckpointRegistered, folder: Path, embedder: Callable[[], object]) -> LexiconJudge:
    """See `training.judges.JUDGES`: there is but one."""
    return LexiconJudge()


def judgement(text: str) -> Judgement:
    """A logistic on the counts of the lists, and the mode with the most of its words; ties abstain."""
    form = normal_form(text).replace("’", "'")
    probability = 1 / (1 + exp(-max(-30.0, min(30.0, blame(_WORD.findall(form))))))
    counts = {mode: sum(f" {words}" in f" {form}" for words in phrases) for mode, phrases in MODE_WORDS.items()}
    best = max(counts, key=lambda mode: counts[mode])
    total = sum(counts.values())
    alone = total > 0 and sum(count == counts[best] for count in counts.values()) == 1
    return Judgement(round(probability, 6), best if alone else None, round(counts[best] / total, 6) if alone else 0.0)


def blame(words: Sequence[str]) -> float:
    """The logit of dissatisfaction of a text in lower case, as its words in order."""
    logit, turned = OFFSET, False
    for word in words:
        if word in NEGATIVE:
            logit += -WORD_WEIGHT / 2 if turned else WORD_WEIGHT
        elif word in POSITIVE:
            logit += WORD_WEIGHT if turned else -WORD_WEIGHT
        elif word in HEDGES:
            logit += HEDGE_WEIGHT
        elif word in TURNS:
            logit += TURN_WEIGHT
        turned = word in TURNS or (turned and word in ("a", "an", "the", "very", "really", "so", "that"))
    return logit
