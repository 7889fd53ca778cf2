"""Programs that work inside a room: standard library and pytest alone, put there as text (`evals.tasks.bundle`)."""
