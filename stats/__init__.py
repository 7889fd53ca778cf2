"""Pure functions on numbers: intervals, tests, bounds, ranks, calibration. No I/O, no events."""
