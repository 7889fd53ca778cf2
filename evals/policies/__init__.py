"""Models under test: a checkpoint on this machine, one behind an endpoint, or the answers it once gave."""
