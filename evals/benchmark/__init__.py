"""Private benchmarks: a draft in the home, versions that are frozen, canaries, and how often each was asked."""
