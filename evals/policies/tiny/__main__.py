"""`python -m evals.policies.tiny FOLDER [--seed N] [--taught point|length] [--steps N]`."""

import argparse
from pathlib import Path

from evals.policies.tiny.lessons import at_length, to_the_point
from evals.policies.tiny.make import make_tiny_llama


def main() -> None:
    """Make the folder and say how large it is."""
    parser = argparse.ArgumentParser(description="A tiny Llama made from nothing.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--taught", choices=["point", "length"], help="answers to the point, or at length")
    parser.add_argument("--steps", type=int, default=120)
    said = parser.parse_args()
    lessons = {"point": to_the_point, "length": at_length}
    folder = make_tiny_llama(said.folder, said.seed, lessons[said.taught]() if said.taught else (), said.steps)
    size = sum(path.stat().st_size for path in folder.iterdir())
    print(f"{folder}: {size / 1e3:.0f} kB")  # noqa: T201


if __name__ == "__main__":
    main()
