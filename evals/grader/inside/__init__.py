"""Programs that the grader puts into rooms. They import nothing of ours: each is sent as text."""
