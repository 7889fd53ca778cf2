"""The group of nearly equal texts that each text belongs to: what is new, and what came after the earliest that is new.

Decision 0013. The earliest text of a group leads it, and stays: only one that landed late, and came before, changes it.
"""

from transforms.groups import NOTHING_KNOWN, grouped


def model(dbt, session):
    """Group the texts from the earliest change on, under leaders that came before it."""
    dbt.config(materialized="incremental", incremental_strategy="delete+insert", unique_key="text_hash")
    written = "text is not null and kind is distinct from 'automated'"
    landed = dbt.ref("base_feedback_details").query(
        "feedback", f"select text, received_at from feedback where {written}"
    )
    known = f"select text_hash, group_hash, first_at from {dbt.this}" if dbt.is_incremental else NOTHING_KNOWN
    return grouped(session, landed, dbt.ref("int_texts"), dbt.ref("int_text_bands"), session.sql(known)).to_arrow()
