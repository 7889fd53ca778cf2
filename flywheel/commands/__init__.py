"""One file a command, named by its word."""
