import pytest

from stats.multiple import benjamini_hochberg, holm


def test_by_hand() -> None:
    p = [0.01, 0.04, 0.03, 0.005]
    assert holm(p) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert benjamini_hochberg(p) == pytest.approx([0.02, 0.04, 0.04, 0.02])


def test_none_and_one_and_ties() -> None:
    assert holm([]) == benjamini_hochberg([]) == []
    assert holm([0.3]) == benjamini_hochberg([0.3]) == [0.3]
    assert holm([0.9, 0.9]) == [1.0, 1.0]
    assert benjamini_hochberg([0.9, 0.9]) == [0.9, 0.9]


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_what_is_no_p_value_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="not a p-value"):
        holm([0.2, value])
