"""Whether this machine has rooms, and what they hold: for `flywheel doctor`."""

import platform
import subprocess
from typing import NamedTuple

from evals.cleanroom import cgroups, walls
from evals.cleanroom.bubblewrap import open_room
from evals.cleanroom.room import NoRoom


class Check(NamedTuple):
    """What was found."""

    works: bool
    said: str
    """One line: what there is, or what is missing and the way out."""


def check() -> Check:
    """Open a room, run `true` in it, and say what it is made of."""
    try:
        known = walls.options()
        with open_room(None) as room:
            ran = room.run(["true"], seconds=10)
    except NoRoom as error:
        return Check(False, str(error))
    if not ran.ok:
        return Check(False, f"a room opens, but `true` in it {ran.ended} with {ran.code}: {ran.stderr.decode()[:200]}")
    version = subprocess.run(["bwrap", "--version"], capture_output=True, text=True, check=False).stdout.split()[-1:]
    place = cgroups.where()
    held = f"control groups (version {place.version})" if place else "rlimits, and memory looked at ten times a second"
    nested = "none may be made inside" if "--disable-userns" in known else "the filter alone refuses more of them"
    return Check(
        True,
        f"bubblewrap {''.join(version)} on {platform.machine()}; memory and processes by {held}; "
        f"user namespaces: {nested}",
    )
