"""Scorers, and the worker's runs for jobs of kind `eval` and `judge`. Judges are loaded by `training/`."""
