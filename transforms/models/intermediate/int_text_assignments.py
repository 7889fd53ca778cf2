"""Which failure mode each text shows: of new texts, and of all once the model or the taxonomy is another.

A build that is not to wait for the embedding leaves out texts whose vector is not known yet.
"""

from transforms.taxonomy.assign import assignments, current_version, ready


def model(dbt, session):
    """Assign the texts that `this` lacks under the current version, in the place of what an older one said."""
    dbt.config(materialized="incremental", incremental_strategy="delete+insert", unique_key="text_hash")
    examples = dbt.ref("int_mode_examples").pl()
    proposed = dbt.ref("int_mode_centroids").pl()
    members = dbt.ref("int_mode_members").pl()
    version = current_version(examples, proposed, members)
    known = (
        f"and text_hash not in (select text_hash from {dbt.this} "
        f"where model_version = '{version.model}' and taxonomy_digest = '{version.taxonomy}')"
        if dbt.is_incremental
        else ""
    )
    new = dbt.ref("int_texts").query(
        "texts", f"select distinct text_hash, normal_form from texts where normal_form <> '' {known}"
    )
    return assignments(ready(new.pl(), examples), examples, proposed, members, version).to_arrow()
