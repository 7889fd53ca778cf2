"""MinHash bands of the texts: only of those that are new."""

from transforms.texts import bands


def model(dbt, session):
    """Append the bands of the text hashes that `this` lacks."""
    dbt.config(materialized="incremental", incremental_strategy="append")
    known = f"and text_hash not in (select text_hash from {dbt.this})" if dbt.is_incremental else ""
    new = dbt.ref("int_texts").query(
        "texts", f"select distinct text_hash, normal_form from texts where normal_form <> '' {known}"
    )
    return bands(new.pl()).to_arrow()
