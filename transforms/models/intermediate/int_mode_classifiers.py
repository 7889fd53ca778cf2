"""Model cards: what each classifier whose assignments are in use is worth. Fitted here only where assigning was not."""

from transforms.taxonomy.assign import cards, current_version
from transforms.taxonomy.examples import gather


def model(dbt, session):
    """The card of the current version, where it has assigned something and `this` lacks it."""
    dbt.config(materialized="incremental", incremental_strategy="append")
    examples = gather(dbt.ref("int_mode_examples").pl(), dbt.ref("int_label_texts").pl())
    version = current_version(examples, dbt.ref("int_mode_centroids").pl(), dbt.ref("int_mode_members").pl())
    known = f"and model_version not in (select model_version from {dbt.this})" if dbt.is_incremental else ""
    due = dbt.ref("int_text_assignments").query(
        "said", f"select count(*) from said where model_version = '{version.model}' {known}"
    )
    return cards(examples, version, due=due.fetchall()[0][0] > 0).to_arrow()
