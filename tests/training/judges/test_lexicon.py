import pytest

from models.ids import digest
from training.judges import lexicon
from training.judges.lexicon import LexiconJudge


@pytest.mark.parametrize(
    ("text", "negative"),
    [
        ("Perfect, thanks!", False),
        ("This is wrong and the code is broken.", True),
        ("not helpful", True),
        ("That wasn't a very good answer", True),
        ("It works", False),
        ("no errors, works perfectly", False),
        ("Sloppy. It ignored half of what I said", True),
    ],
)
def test_praise_and_complaint_are_told_apart(text: str, negative: bool) -> None:
    (judgement,) = LexiconJudge().judge([text])
    assert (judgement.negative >= 0.5) == negative
    assert 0 < judgement.negative < 1


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("I asked for three bullet points in JSON format", "instruction_following"),
        ("it rambles, too long and repetitive", "communication"),
        ("The button overlaps the margin on mobile", "ui_execution"),
        ("took forever and burned my credits, so slow", "latency_cost"),
        ("hm", None),
        ("", None),
    ],
)
def test_a_mode_is_named_by_its_words_or_not_at_all(text: str, mode: str | None) -> None:
    assert LexiconJudge().judge([text])[0].mode_id == mode


def test_two_spellings_get_one_judgement() -> None:
    one, other = LexiconJudge().judge(["It DIDN’T  work", "it didn't work"])
    assert one == other


def test_the_lists_are_those_of_this_checkpoint() -> None:
    """Whoever changes a list or a weight changes the judge: a new CHECKPOINT_ID, then the digest here."""
    lists = [sorted(words) for words in (lexicon.NEGATIVE, lexicon.POSITIVE, lexicon.TURNS, lexicon.HEDGES)]
    weights = [lexicon.WORD_WEIGHT, lexicon.TURN_WEIGHT, lexicon.HEDGE_WEIGHT, lexicon.OFFSET]
    assert lexicon.CHECKPOINT_ID == "judge-lexicon-1"
    assert digest([lists, lexicon.MODE_WORDS, weights])[:16] == "f62ea40beb7e1111"
