"""`flywheel`: parse, then run; a fault that a person can mend is one line on stderr and exit status 1."""

import os
import sys

from models.errors import FlywheelError


def main() -> None:
    """Entry point of the command line."""
    from flywheel.cli import cli

    try:
        cli(prog_name="flywheel")
    except FlywheelError as error:
        print(f"flywheel: {error}", file=sys.stderr)  # noqa: T201
        sys.exit(1)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        way_out = "see that it is yours to use, and the disk not full"
        print(f"flywheel: {place}{error.strerror or error}: {way_out}", file=sys.stderr)  # noqa: T201
        sys.exit(1)


if __name__ == "__main__":
    main()
