"""What evals say of checkpoints: pairs, passes, evals that are spent. Pure: polars in, polars out."""
