"""Groups of near-duplicates, landed in pieces and out of order, are those of one cold build."""

from datetime import UTC, datetime, timedelta
from random import Random

import duckdb
import polars as pl
import pytest

from text.normal_form import text_hash
from transforms.groups import NOTHING_KNOWN, grouped, led_by_groups, of_groups
from transforms.texts import bands, hashed

NOON = datetime(2026, 11, 3, 12, tzinfo=UTC)
TEXTS = [
    *(f"It ignored the limit of {number} words that I had set in my very first message today." for number in range(9)),
    *(
        f"It ignored the limit of {number} words that I had set, and then it apologised for that."
        for number in range(9)
    ),
    *(
        f"The nightly build of release {number} has been red since the refactoring of last Tuesday."
        for number in range(9)
    ),
    *(f"Too slow {'again ' * number}" for number in range(9)),
    "too SLOW",
    "",
    "x",
]


class Warehouse:
    """The tables that groups are made of, without dbt."""

    def __init__(self) -> None:
        self.session = duckdb.connect()
        self.session.execute("set timezone = 'UTC'")
        self.session.execute("create table landed (text varchar, received_at timestamptz)")
        self.session.execute("create table texts (text_key varchar, text_hash varchar, normal_form varchar)")
        self.session.execute("create table bands (text_hash varchar, band integer, band_hash bigint)")
        self.session.execute(f"create table groups as {NOTHING_KNOWN}")

    def land(self, rows: list[tuple[str, datetime]]) -> int:
        """A build after these have landed: how many texts it grouped anew."""
        self.session.executemany("insert into landed values (?, ?)", rows)
        known = {row[0] for row in self.session.execute("select text_key from texts").fetchall()}
        fresh = hashed(text for text, _ in rows).filter(~pl.col("text_key").is_in(list(known)))
        self.session.register("fresh", fresh)
        self.session.execute("insert into texts select text_key, text_hash, normal_form from fresh")
        unbanded = self.session.sql(
            "select distinct text_hash, normal_form from texts "
            "where normal_form <> '' and text_hash not in (select text_hash from bands)"
        ).pl()
        self.session.register("banded", bands(unbanded))
        self.session.execute("insert into bands from banded")
        moved = grouped(self.session, *(self.session.table(name) for name in ("landed", "texts", "bands", "groups")))
        self.session.register("changed_groups", moved)
        self.session.execute("delete from groups where text_hash in (select text_hash from changed_groups)")
        self.session.execute("insert into groups select text_hash, group_hash, first_at from changed_groups")
        return moved.height

    def groups(self) -> dict[str, tuple[str, datetime]]:
        rows = self.session.execute("select text_hash, group_hash, first_at from groups").fetchall()
        assert len({row[0] for row in rows}) == len(rows)
        return {row[0]: (row[1], row[2]) for row in rows}


@pytest.mark.parametrize("seed", range(6))
def test_pieces_in_any_order_give_the_groups_of_a_cold_build(seed: int) -> None:
    draw = Random(seed)
    rows = [(text, NOON + timedelta(minutes=draw.randrange(20))) for text in TEXTS + draw.choices(TEXTS, k=30)]
    draw.shuffle(rows)
    piecewise, cold = Warehouse(), Warehouse()
    for start in range(0, len(rows), 11):
        piecewise.land(rows[start : start + 11])
    cold.land(rows)
    assert piecewise.groups() == cold.groups()
    assert len({group for group, _ in cold.groups().values()}) < len(cold.groups()) == len(TEXTS) - 2


def test_what_comes_later_moves_nothing_before_it() -> None:
    warehouse = Warehouse()
    assert warehouse.land([(text, NOON + timedelta(minutes=n)) for n, text in enumerate(TEXTS[:20])]) == 20
    before = warehouse.groups()
    assert warehouse.land([(text, NOON + timedelta(hours=1)) for text in TEXTS[20:30]]) == 10
    assert warehouse.land([(TEXTS[0], NOON + timedelta(hours=2))]) == 0
    assert {text: warehouse.groups()[text] for text in before} == before
    assert before[text_hash(TEXTS[5])][0] == text_hash(TEXTS[0])


def test_what_is_said_of_a_leader_is_said_of_its_group() -> None:
    groups = pl.DataFrame({"text_hash": ["a", "b", "c"], "group_hash": ["a", "a", "c"]})
    found = pl.DataFrame({"text_hash": ["a", "a", "c"], "rank": [1, 2, 1], "mode_id": ["m", "n", None]})
    said = of_groups(found, groups).sort("text_hash", "rank")
    assert said.rows() == [
        ("a", 1, "m", "a"),
        ("a", 2, "n", "a"),
        ("b", 1, "m", "a"),
        ("b", 2, "n", "a"),
        ("c", 1, None, "c"),
    ]
    members = pl.DataFrame(
        {"mode_id": ["m", "m", "n"], "text_hash": ["a", "b", "b"], "is_by_person": [True, False, True]}
    )
    assert led_by_groups(members, groups).rows() == [("m", "a"), ("n", "a")]
