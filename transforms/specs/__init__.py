"""From marts to specs on the log: what the warehouse asks of evals, training and judges."""
