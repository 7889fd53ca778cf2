"""Private benchmarks and how worn each version is: transforms/benchmarks.py."""

from transforms.benchmarks import benchmark_table


def model(dbt, session):
    """Work out all versions anew: they are few."""
    dbt.config(materialized="table")
    frozen = dbt.ref("stg_specs__benchmarks_frozen").query(
        "frozen",
        "select * from frozen qualify row_number() over (partition by benchmark, version order by log_offset) = 1",
    )
    retired = dbt.ref("fct_specs").query("specs", "select spec_id, retired_at from specs where retired_at is not null")
    return benchmark_table(frozen.pl(), dbt.ref("fct_benchmark_uses").pl(), retired.pl()).to_arrow()
