"""Judges: what reads a text and says whether its author is dissatisfied, and with what."""
