"""N-grams of texts: of words once each, and the same whatever stands beside a text."""

import numpy as np

from transforms.taxonomy.features import Grams

KNOWN = ["the answer was slow", "slow, so slow", "it lost the thread", "no words: 那 个 🙂"]
NEW = ["the answer was sloww", "", "🙂 !!", "nothing of this", "slow slow the answer", "那"]


def weights_for(grams: Grams) -> np.ndarray:
    return np.random.default_rng(2).normal(size=(grams.rows(KNOWN).shape[1], 3))


def test_scores_are_rows_times_weights() -> None:
    grams = Grams(KNOWN)
    weights = weights_for(grams)
    for texts in (KNOWN, NEW):
        np.testing.assert_allclose(grams.scores(texts, weights), grams.rows(texts) @ weights, atol=1e-12)
    assert grams.scores([], weights).shape == (0, 3)


def test_a_text_scores_the_same_alone_and_in_any_order() -> None:
    grams = Grams(KNOWN)
    weights = weights_for(grams)
    texts = [*KNOWN, *NEW]
    together = grams.scores(texts, weights)
    assert (grams.scores(texts[::-1], weights)[::-1] == together).all()
    for row, text in enumerate(texts):
        assert (grams.scores([text], weights)[0] == together[row]).all()


def test_a_misspelt_word_is_known_by_its_letters_and_nothing_by_none() -> None:
    rows = Grams(KNOWN).rows(["slow", "sloww", "🙂", "xqzv"]).toarray()
    assert 0.2 < rows[0] @ rows[1] < rows[0] @ rows[0]
    assert not rows[2].any()
    assert not rows[3].any()


def test_neighbours_count_in_their_order() -> None:
    one, other = Grams(["slow answer", "answer lost"]).rows(["slow answer", "answer slow"]).toarray()
    assert (one != other).any()
