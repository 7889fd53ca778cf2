"""Failure-mode mathematics: pure functions from texts and vectors to modes. No dbt, no warehouse, no log."""
