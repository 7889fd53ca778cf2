"""`python -m benchmarks.clean_room.gauntlet`."""

from benchmarks.clean_room.gauntlet import main

main()
