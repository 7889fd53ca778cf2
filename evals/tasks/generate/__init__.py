"""Tasks made from a repository: a feature is cut out, and what its tests and its calls say is kept for the grader."""
