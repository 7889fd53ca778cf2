"""Model cards: what each classifier whose assignments are in use is worth. Fitted here only where assigning was not."""

import polars as pl

from transforms.taxonomy.assign import cards, current_version
from transforms.taxonomy.examples import gather


def model(dbt, session):
    """The cards that the last build had, of versions that are still in use, and that of the current one."""
    dbt.config(materialized="table")
    examples = gather(dbt.ref("int_mode_examples").pl(), dbt.ref("int_label_texts").pl())
    version = current_version(examples, dbt.ref("int_mode_centroids").pl(), dbt.ref("int_mode_members").pl())
    used = {
        row[0]
        for row in dbt.ref("int_text_assignments").query("said", "select distinct model_version from said").fetchall()
    }
    name = dbt.this.identifier
    had = session.execute("select 1 from information_schema.tables where table_name = ?", [name]).fetchall()
    known = (
        [session.sql(f"select * from {dbt.this}").pl().filter(pl.col("model_version").is_in(list(used)))] if had else []
    )
    made = {each for frame in known for each in frame["model_version"]}
    new = cards(examples, version, due=version.model in used - made)
    return pl.concat([*known, new]).sort("model_version").to_arrow()
