"""Judges against people, from the tables of the warehouse."""
