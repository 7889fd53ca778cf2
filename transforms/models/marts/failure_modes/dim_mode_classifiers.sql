select
    cards.model_version,
    checkpoints.checkpoint_id,
    checkpoints.spec_id,
    cards.embedding,
    cards.seeds,
    cards.labels,
    cards.modes,
    cards.folds,
    cards.repeats,
    cards.accuracy,
    cards.ece,
    cards.auroc,
    cards."precision",
    cards.coverage,
    cards.threshold,
    cards.wanted_precision
from {{ ref('int_mode_classifiers') }} as cards
left join {{ ref('dim_checkpoints') }} as checkpoints
    on cards.model_version = checkpoints.checkpoint_id and checkpoints.role = 'classifier' and checkpoints.counts
