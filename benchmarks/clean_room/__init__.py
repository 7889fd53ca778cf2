"""What the clean room holds, what it costs, and what is made in it. See `benchmarks.clean_room.__main__`."""
