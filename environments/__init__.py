"""Deterministic worlds to act in, for evals and training: files, tools, people who answer. No network, no clock."""
