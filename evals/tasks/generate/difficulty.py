"""How hard a task looks before anyone has tried it. An estimate by size alone: `pass_rate` is what counts, once there.

    estimate = 0.55 log(1 + lines) / log(401) + 0.20 min(files - 1, 3) / 3 + 0.25 min(depth, 8) / 8

held to 0..1. The weights are a guess that no agent's results stand behind. Left out: how well it is documented.
"""

from collections.abc import Mapping
from math import log
from typing import Literal

from evals.tasks.generate.baseline import Key
from evals.tasks.generate.pieces import Piece
from evals.tasks.task import Difficulty

Dial = Literal["easy", "medium", "hard"]
RANGES: dict[Dial, tuple[float, float]] = {"easy": (0.0, 0.36), "medium": (0.36, 0.52), "hard": (0.52, 1.01)}
DEPTH = 8


def difficulty(pieces: tuple[Piece, ...], callees: Mapping[Key, frozenset[Key]]) -> Difficulty:
    """Of cutting `pieces`, by the calls that tests were seen to make."""
    lines, files = sum(piece.lines for piece in pieces), len({piece.path for piece in pieces})
    depth = max(_depth((piece.path, body.qualname), callees, frozenset()) for piece in pieces for body in piece.bodies)
    estimate = 0.55 * log(1 + lines) / log(401) + 0.20 * min(files - 1, 3) / 3 + 0.25 * min(depth, DEPTH) / DEPTH
    return Difficulty(lines=lines, files=files, call_depth=depth, estimate=round(min(1.0, estimate), 3))


def fits(estimate: float, dial: Dial | None) -> bool:
    """Whether the dial asks for it; without one, all is asked for."""
    low, high = RANGES[dial] if dial else (0.0, 1.01)
    return low <= estimate < high


def _depth(key: Key, callees: Mapping[Key, frozenset[Key]], above: frozenset[Key]) -> int:
    """Calls below `key`, in a row, up to DEPTH; a call of itself counts once. Follows the four widest at each step."""
    if key in above or len(above) >= DEPTH:
        return 0
    below = sorted(callees.get(key, frozenset()) - above - {key}, key=lambda each: (-len(callees.get(each, ())), each))
    return max((1 + _depth(each, callees, above | {key}) for each in below[:4]), default=0)
