"""The page of one failure mode in Streamlit: the same questions, charts and tables. `benchmarks.pages` runs it.

    streamlit run benchmarks/pages_streamlit.py -- QUESTIONS.json

Charts come from `dashboards/charts`, which need nothing but Python; the rest is as Streamlit's guide has it.
"""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb

sys.path.insert(0, str(Path(__file__).parents[1]))

from dashboards.charts.by_checkpoint import trend_by_checkpoint
from dashboards.charts.days import days_of_mode
from dashboards.palette import coloured

st: Any = import_module("streamlit")


def main(questions: dict[str, Any]) -> None:
    """Show the mode."""
    mode_id = questions["mode_id"]
    warehouse = duckdb.connect(questions["warehouse"], read_only=True)

    def rows(name: str, *parameters: Any) -> list[dict[str, Any]]:
        found = warehouse.execute(questions[name], list(parameters) or None)
        columns = [column[0] for column in found.description or []]
        return [dict(zip(columns, row, strict=True)) for row in found.fetchall()]

    mode = rows("ONE", mode_id)[0]
    edges = rows("WINDOW")[0]
    window = (edges["first"], edges["last"])
    st.set_page_config(page_title=mode["name"], layout="wide")
    st.title(mode["name"])
    st.subheader(f"{mode['feedback_count']} comments by {mode['author_count']} authors show it")
    st.write(mode["definition"])
    weeks = rows("WEEKS", mode_id, "checkpoint")
    days = [row for row in rows("DAYS") if row["mode_id"] == mode_id]
    for chart in (trend_by_checkpoint(weeks, mode["name"], window, "checkpoint"), days_of_mode(days, window)):
        if chart:
            st.markdown(f"**{chart.title}** {chart.said}")
            st.vega_lite_chart(coloured(chart.spec, "light"), width="stretch")
            with st.expander("The numbers"):
                st.dataframe(chart.table.rows)
    for example in rows("EXAMPLES", mode_id):
        st.markdown(f"> {example['text']}")
    for title, name, parameters in (
        ("Specs born of it", "SPECS", (mode_id, mode_id)),
        ("Evals since", "RESULTS", (mode_id,)),
        ("Training runs since", "RUNS", (mode_id,)),
    ):
        st.header(title)
        st.dataframe(rows(name, *parameters))
    st.caption("That is all.")


main(json.loads(Path(sys.argv[1]).read_text()))
