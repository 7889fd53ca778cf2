"""Pure functions on numbers: intervals, ranks, calibration. No I/O, no events."""
