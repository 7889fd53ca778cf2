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
