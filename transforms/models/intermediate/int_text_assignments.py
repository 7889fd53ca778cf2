"""Which failure modes each text shows: of new texts, and of all once the model or the taxonomy is another.

The text that leads a group of near-duplicates is embedded and assigned, for all of them.
A build that is not to wait for the embedding leaves out texts whose vector is not known yet.
"""

from transforms.groups import led_by_groups, of_groups
from transforms.taxonomy.assign import assignments, current_version, ready
from transforms.taxonomy.examples import gather


def model(dbt, session):
    """Assign the texts that `this` lacks under the current version, in the place of what an older one said."""
    dbt.config(materialized="incremental", incremental_strategy="delete+insert", unique_key="text_hash")
    examples = gather(dbt.ref("int_mode_examples").pl(), dbt.ref("int_label_texts").pl())
    proposed = dbt.ref("int_mode_centroids").pl()
    groups = dbt.ref("int_text_groups")
    members = led_by_groups(dbt.ref("int_mode_members").pl(), groups.pl())
    version = current_version(examples, proposed, members)
    known = (
        f"where (text_hash, group_hash) not in (select (text_hash, group_hash) from {dbt.this} "
        f"where model_version = '{version.model}' and taxonomy_digest = '{version.taxonomy}')"
        if dbt.is_incremental
        else ""
    )
    new = groups.query("groups", f"select text_hash, group_hash from groups {known}").pl()
    leading = dbt.ref("int_texts").query("texts", "select distinct text_hash, normal_form from texts").pl()
    leading = leading.filter(leading["text_hash"].is_in(new["group_hash"].unique().implode()))
    found = assignments(ready(leading, examples), examples, proposed, members, version)
    return of_groups(found, new).to_arrow()
