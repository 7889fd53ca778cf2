"""Erasing a person: what they wrote and what is written about them, in the lake, the log and all that is made of it."""
