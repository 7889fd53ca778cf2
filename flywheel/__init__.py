"""The command line: composes the other packages, and nothing else."""
