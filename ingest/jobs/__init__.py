"""Jobs on the log: who may do what, until when, and what came of it. What a job does is its kind's own package."""
