"""Training methods, one readable file each: `training/methods/<name>.py` is what a spec calls `<name>`."""
