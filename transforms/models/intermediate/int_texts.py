"""Texts of feedback with their hash and normal form: only those that are new, and none that a rule wrote."""

from transforms.texts import hashed


def model(dbt, session):
    """Append the texts that `this` lacks."""
    dbt.config(
        materialized="incremental",
        incremental_strategy="append",
        meta={"reads": ["feedback.comment_left.v1", "feedback.report_filed.v1"]},
    )
    known = f"and md5(text) not in (select text_key from {dbt.this})" if dbt.is_incremental else ""
    written = "text is not null and kind is distinct from 'automated'"
    new = dbt.ref("base_feedback_details").query(
        "feedback", f"select distinct text from feedback where {written} {known}"
    )
    return hashed(new.pl()["text"]).to_arrow()
