select
    model_version,
    embedding,
    seeds,
    labels,
    modes,
    folds,
    repeats,
    accuracy,
    ece,
    "precision",
    coverage,
    threshold,
    wanted_precision
from {{ ref('int_mode_classifiers') }}
where model_version in (select model_version from {{ ref('int_text_assignments') }})
