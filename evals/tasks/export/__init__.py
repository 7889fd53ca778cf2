"""Tasks for other harnesses: folders that Harbor reads, and a task that Inspect runs."""
