"""Behaviours as data: samples of a world, a script and a rubric; solvers that pass them, and solvers that fail."""
