"""A folder with the distributions that tests need, copied from where we are installed. Standard names only: what is
named, and what that needs itself. Left out: compiled scripts, and everything that is under test.
"""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from tempfile import TemporaryDirectory

from models.errors import TerminalError

NAME = re.compile(r"^[A-Za-z0-9._-]+")


@contextmanager
def tools(names: tuple[str, ...], under_test: str) -> Iterator[Path]:
    """A folder for PYTHONPATH with `names` and what they need, for as long as the block lasts.

    Raises TerminalError for one that is not installed here, and for `under_test`, which would hand out the answer.
    """
    with TemporaryDirectory(prefix="flywheel-tools-") as made:
        folder, waiting, done = Path(made), list(names), set[str]()
        folder.chmod(0o755)
        while waiting:
            name = _plain(waiting.pop())
            if name in done:
                continue
            done.add(name)
            if name == _plain(under_test):
                raise TerminalError(f"tests need {under_test} itself as a tool: that is the package under test")
            try:
                found = distribution(name)
            except PackageNotFoundError as error:
                if name not in map(_plain, names):
                    continue
                raise TerminalError(f"tests need {name}, which is not installed here: pip install {name}") from error
            waiting += [match[0] for line in found.requires or () if "extra ==" not in line and (match := NAME.match(line))]
            for file in found.files or ():
                source = Path(str(found.locate_file(file)))
                if ".." not in file.parts and source.is_file() and source.suffix not in (".pyc", ".pth"):
                    (folder / file).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(source, folder / file)
        yield folder


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
