"""Pictures of charts are made behind and kept; what people named is text in them."""

import time

from dashboards.charts.scores import scores
from dashboards.picture import svg
from dashboards.pictures import Pictures
from dashboards.table import Table

EVIL = "</text><script>window.evil = 1</script>"
NO_TABLE = Table("t", "T", (), [])


def chart(name: str, value: float = 0.5):
    rows = [{"eval": name, "checkpoint": f"a {name}", "value": value, "low": 0.4, "high": 0.6}]
    made = scores(rows, NO_TABLE)
    assert made
    return made


def test_a_name_is_text_in_a_picture() -> None:
    picture = svg(chart(EVIL).spec)
    assert "<script" not in picture
    assert "&lt;script&gt;" in picture
    assert "style=" not in picture  # the content policy allows none


def test_a_picture_is_made_behind_for_the_next_who_asks() -> None:
    pictures = Pictures()
    spec = chart("e").spec
    assert pictures.find(spec) is None
    pictures.start()
    for _ in range(1_000):
        if pictures.find(spec):
            break
        time.sleep(0.02)
    found = pictures.find(spec)
    assert found is not None
    assert 'width="1080"' in found
    assert 'stroke="#0072b2"' in found
    assert pictures.find(chart("e", 0.6).spec) is None
    pictures.stop()


def test_more_than_is_kept_waiting_is_asked_for_again() -> None:
    pictures = Pictures()
    assert [pictures.find(chart(str(number)).spec) for number in range(100)] == [None] * 100
    pictures.stop()
