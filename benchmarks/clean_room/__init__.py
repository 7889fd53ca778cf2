"""The clean room, measured."""
