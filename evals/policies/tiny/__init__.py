"""A tiny Llama made from nothing, for tests and the demo: `python -m evals.policies.tiny FOLDER`."""
