"""Bins of amounts: the same in Python and in SQL, and narrow enough for quantiles."""

import re
from pathlib import Path

import duckdb
import pytest

from transforms.experiments.bins import NOTHING, bin_of, edges

MACROS = Path(__file__).parents[3] / "transforms/macros/experiments.sql"


def test_sql_says_the_same() -> None:
    found = re.search(r"macro bin\(amount\) -%}\n(.*?)\n{%- endmacro", MACROS.read_text(), re.DOTALL)
    assert found
    sql = found[1].replace("{{ amount }}", "amount")
    amounts = [0.0, -3.0, 1e-9, 0.37, 1.0, 1.5, 99.9, 1234.5, 7e8]
    query = f"select {sql} from (select unnest({amounts}::double[]) as amount)"
    rows = duckdb.connect().execute(query).fetchall()
    assert [row[0] for row in rows] == [bin_of(amount) for amount in amounts]
    assert bin_of(0) == NOTHING


@pytest.mark.parametrize("amount", [0.01, 3.7, 812.0])
def test_an_amount_lies_in_its_bin_of_two_percent(amount: float) -> None:
    low, high = edges(bin_of(amount), bin_of(amount))
    assert low <= amount < high
    assert high / low == pytest.approx(1.02)
