"""Worlds over the Model Context Protocol, both ways: a world of ours as a server, a server of anybody's as a world."""
