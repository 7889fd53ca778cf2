"""What the classifier learns from today, as rows: seeds, and the texts that persons labelled with one mode or none."""

from transforms.taxonomy.examples import as_rows


def model(dbt, session):
    """As `int_text_assignments` gathers them."""
    dbt.config(materialized="table")
    return as_rows(dbt.ref("int_mode_examples").pl(), dbt.ref("int_label_texts").pl()).to_arrow()
