"""Training methods, checkpoints, judges, and the worker's run of jobs that train. Evals judge what comes of it."""
