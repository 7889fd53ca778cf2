"""What tests need beside the standard library, as a folder of its own: the named distributions, what those require, and
nothing else of the environment that they are taken from.

Files are copied by the list that the installer kept. Left out: scripts (`python -m pytest` does without), extras,
`.pth` files, and whatever is installed as editable, which is a link to somebody's source.
"""

import compileall
import re
import shutil
import sys
from collections.abc import Collection, Sequence
from importlib import metadata
from pathlib import Path
from typing import Final

from models.errors import TerminalError

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class NoTool(TerminalError):
    """A distribution that can't be had for a room, or must not be."""


def tools(names: Sequence[str], into: Path, *, but_not: Collection[str] = (), site: Path | None = None) -> Path:
    """Put the distributions `names`, and what they require, into the new folder `into`, compiled; answers it.

    They are taken from the site-packages at `site`, by default from where this runs. `but_not` names what is under
    test, as distributions or as packages that are imported. Raises NoTool where one of it would be among them, where
    one is not installed here, or is installed as editable.
    """
    wanted = required(names, site)
    refused = {canonical(name) for name in but_not}
    for name, distribution in wanted.items():
        if clash := refused & ({name} | imported(distribution)):
            raise NoTool(f"{', '.join(sorted(clash))} is under test, so {name} can't be a tool of its room")
    into.mkdir(parents=True)
    for name, distribution in wanted.items():
        if '"editable": true' in (distribution.read_text("direct_url.json") or ""):
            raise NoTool(f"{name} is installed as editable, which is a link to its source: install it as a wheel")
        for file in distribution.files or ():
            source = Path(str(distribution.locate_file(file)))
            if ".." in file.parts or file.suffix == ".pth" or not source.is_file():
                continue
            target = into / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    compileall.compile_dir(into, quiet=2, stripdir=str(into))
    for path in (into, *into.rglob("*")):
        path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
    return into


def required(names: Sequence[str], site: Path | None = None) -> dict[str, metadata.Distribution]:
    """Canonical name -> distribution, of `names` and all they require. A requirement that is not installed here is one
    for other machines.
    """
    found: dict[str, metadata.Distribution] = {}
    left = [(name, True) for name in names]
    path = [str(site)] if site else sys.path
    while left:
        name, is_asked_for = left.pop()
        if canonical(name) in found:
            continue
        try:
            distribution = next(iter(metadata.distributions(name=name, path=path)))
        except StopIteration:
            if is_asked_for:
                raise NoTool(f"{name} is not installed in {site or 'this environment'}: pip install {name}") from None
            continue
        found[canonical(name)] = distribution
        for requirement in distribution.requires or ():
            said, _, marker = requirement.partition(";")
            if "extra" not in marker and (match := NAME.match(said.strip())):
                left.append((match[0], False))
    return found


def imported(distribution: metadata.Distribution) -> set[str]:
    """Canonical names of the packages and modules that a distribution brings."""
    tops = {file.parts[0] for file in distribution.files or () if file.suffix in (".py", ".so")}
    return {canonical(top.split(".")[0]) for top in tops}


def canonical(name: str) -> str:
    """A distribution's name as indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()
