"""Pure functions on text: normal form, near-duplicates, embedding. No log, no warehouse."""
