"""Clusters get names that a reader understands, and the text that stands in their middle."""

import numpy as np
import pytest

from transforms.taxonomy.naming import name_clusters

TEXTS = [
    "The upload of large pictures fails with a time-out.",
    "Picture upload fails each time",
    "Upload of my pictures stops halfway",
    "The invoice shows the wrong currency",
    "Currency on the invoice is wrong, it says dollars",
    "Wrong currency again on the last invoice",
    "The upload of an invoice in the wrong currency fails",
    "Something else altogether",
]
LABELS = np.array([0, 0, 0, 1, 1, 1, 0, -1])
VECTORS = np.array([[9, 1], [10, 0], [9, 2], [0, 10], [1, 9], [2, 9], [7, 6], [5, -9]], dtype=np.float64)


def test_names_are_made_of_what_sets_a_cluster_apart() -> None:
    pictures, money = name_clusters(TEXTS, LABELS, VECTORS)
    assert [pictures.label, money.label] == [0, 1]
    assert "upload" in pictures.name
    assert "currency" in money.name
    assert "invoice" in money.name
    words = [word for term in pictures.terms for word in term.split()]
    assert len(words) == len(set(words))


def test_the_medoid_is_nearest_to_the_middle_of_its_cluster() -> None:
    pictures, money = name_clusters(TEXTS, LABELS, VECTORS)
    assert (pictures.medoid, money.medoid) == (2, 4)


def test_no_clusters() -> None:
    assert name_clusters(["a", "b"], np.array([-1, -1]), np.ones((2, 3))) == []
    assert name_clusters([], np.empty(0, dtype=np.int64), np.empty((0, 3))) == []


def test_case_48_a_cluster_of_one() -> None:
    (only,) = name_clusters(["Crashes on start"], np.array([0]), np.array([[1.0, 2.0]]))
    assert only.medoid == 0
    assert "crashes" in only.name


@pytest.mark.parametrize("texts", [["the", "and", "the", "and"], ["", "", "", ""], ["!!", "!!", "??", "??"]])
def test_texts_without_telling_words_still_get_unique_names(texts: list[str]) -> None:
    names = [mode.name for mode in name_clusters(texts, np.array([0, 0, 1, 1]), np.eye(4))]
    assert all(names)
    assert len(set(names)) == 2


def test_equal_terms_still_give_unique_names() -> None:
    texts = ["slow build today"] * 4
    first, second = name_clusters(texts, np.array([0, 0, 1, 1]), np.eye(4))
    assert first.name != second.name
