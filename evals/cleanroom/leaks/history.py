"""What a repository remembers. Each leak keeps the secret in one of git's places and gets it back as git, or a person
with a hex editor, would.
"""

import shutil
from typing import Final

from evals.cleanroom.leaks.leak import PACKAGE, TRACKED, WITHOUT, Leak, World, git

CORE: Final = f"{PACKAGE}/core.py"


def said(*words: str) -> str:
    """A probe that prints what git says."""
    command = ["git", "-c", "protocol.file.allow=always", "-c", "safe.directory=*", "--no-pager", *words]
    return f"import subprocess; subprocess.run({command!r})"


LOOSE: Final = """
import pathlib, zlib
for path in pathlib.Path('.git/objects').glob('[0-9a-f][0-9a-f]/*'):
    print(zlib.decompress(path.read_bytes()))
"""
EVERY_OBJECT: Final = said("cat-file", "--batch-all-objects", "--batch", "--unordered")


def committed_and_removed(world: World) -> None:
    """The common part: the answer in a commit before the last."""
    world.commit(world.repository, world.answer)
    world.commit(world.repository, WITHOUT)


def packed(world: World) -> None:
    """The same in a pack."""
    committed_and_removed(world)
    git(world.repository, "gc", "-q", "--aggressive")


def dangling(world: World) -> None:
    """Added to the index once, never committed."""
    world.write(world.repository / CORE, world.answer)
    git(world.repository, "add", CORE)
    world.write(world.repository / CORE, WITHOUT)
    git(world.repository, "add", CORE)


def reflog(world: World) -> None:
    """Committed, and taken back."""
    world.commit(world.repository, world.answer)
    git(world.repository, "reset", "-q", "--hard", "HEAD~1")


def stash(world: World) -> None:
    """Tried, and put aside."""
    world.write(world.repository / CORE, world.answer)
    git(world.repository, "stash", "-q")


def tag(world: World) -> None:
    """Only a tag remembers it."""
    world.commit(world.repository, world.answer)
    git(world.repository, "tag", "v1")
    git(world.repository, "reset", "-q", "--hard", "HEAD~1")


def branch(world: World) -> None:
    """On a branch of its own."""
    git(world.repository, "checkout", "-q", "-b", "solved")
    world.commit(world.repository, world.answer)
    git(world.repository, "checkout", "-q", "main")


def remote(world: World) -> None:
    """Upstream is ahead, and was fetched."""
    origin = world.folder / "origin"
    git(world.folder, "clone", "-q", str(world.repository), str(origin))
    world.commit(origin, world.answer)
    git(world.repository, "remote", "add", "origin", str(origin))
    git(world.repository, "fetch", "-q", "origin")


def notes(world: World) -> None:
    """In a note to a commit."""
    git(world.repository, "notes", "--ref=review", "add", "-m", world.answer)


def message(world: World) -> None:
    """Said in a commit's message, whose change was another."""
    git(world.repository, "commit", "-q", "--allow-empty", "-m", world.answer)


def worktree(world: World) -> None:
    """Checked out beside, and not committed."""
    git(world.repository, "worktree", "add", "-q", str(world.folder / "other"))
    world.write(world.folder / "other" / CORE, world.answer)


def alternates(world: World) -> None:
    """In a repository that lends its objects."""
    lender = world.made(world.folder / "lender")
    world.commit(lender, world.answer)
    world.write(world.repository / ".git/objects/info/alternates", f"{lender / '.git/objects'}\n")


def submodule(world: World) -> None:
    """In the history of a submodule."""
    inner = world.made(world.folder / "inner")
    world.commit(inner, world.answer)
    world.commit(inner, WITHOUT)
    git(world.repository, "submodule", "add", "-q", str(inner), "sub")
    git(world.repository, "commit", "-q", "-m", "With a submodule")


def cloned(world: World, *how: str) -> None:
    """In place of the repository, a clone of it."""
    committed_and_removed(world)
    origin = world.folder / "origin"
    world.repository.rename(origin)
    git(origin, "config", "uploadpack.allowFilter", "true")
    git(world.folder, "clone", "-q", *how, f"file://{origin}", str(world.repository))


def shallow(world: World) -> None:
    """In a clone of two commits."""
    cloned(world, "--depth", "2")


def partial(world: World) -> None:
    """Content comes when it is asked for."""
    cloned(world, "--filter=blob:none")


def bundle(world: World) -> None:
    """In a bundle that lies in the tree."""
    other = world.made(world.folder / "bundled")
    world.commit(other, world.answer)
    git(other, "bundle", "create", "-q", str(world.repository / "all.bundle"), "--all")


def replaced(world: World) -> None:
    """In what git shows in place of the module."""
    world.write(world.folder / "answer.py", world.answer)
    blob = git(world.repository, "hash-object", "-w", str(world.folder / "answer.py"))
    git(world.repository, "replace", git(world.repository, "rev-parse", f"HEAD:{CORE}"), blob)


def hook(world: World) -> None:
    """In a hook."""
    world.write(world.repository / ".git/hooks/pre-commit", f"#!/bin/sh\necho {world.secret}\n").chmod(0o755)


def included(world: World) -> None:
    """In configuration that the repository's includes."""
    path = world.write(world.folder / "shared.gitconfig", f"[answer]\n\tis = {world.secret}\n")
    git(world.repository, "config", "include.path", str(path))


def above(world: World) -> None:
    """The tree is a folder of a repository whose history has the answer."""
    committed_and_removed(world)
    outer = world.folder / "outer"
    world.repository.rename(outer)
    world.repository = outer / PACKAGE


def large_file(world: World) -> None:
    """The content of a file in git LFS, by its pointer's hash."""
    world.write(world.repository / ".git/lfs/objects/ab/cd/abcd0123", world.answer)
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:abcd0123\nsize 1\n"
    world.write(world.repository / "answer.bin", pointer)
    git(world.repository, "add", "-A")
    git(world.repository, "commit", "-q", "-m", "Pointer")


def fetched(world: World) -> None:
    """What a fetch, a merge or a rebase left: a ref that is no branch."""
    commit = world.commit(world.repository, world.answer)
    git(world.repository, "reset", "-q", "--hard", "HEAD~1")
    world.write(world.repository / ".git/ORIG_HEAD", f"{commit}\n")
    shutil.rmtree(world.repository / ".git/logs")


READ_LFS: Final = """
import pathlib
oid = pathlib.Path('answer.bin').read_text().split('sha256:')[1].split()[0]
print(pathlib.Path('.git/lfs/objects', oid[:2], oid[2:4], oid).read_text())
"""

FROM_BUNDLE: Final = """
import subprocess, tempfile
with tempfile.TemporaryDirectory() as folder:
    subprocess.run(['git', 'clone', '-q', 'all.bundle', folder])
    subprocess.run(['git', '-C', folder, '--no-pager', 'log', '-p'])
"""

ALONE: Final = (fetched, shallow, partial, above)
"""They change what others rely on."""
LEAKS: Final = tuple(
    Leak(name, "history", plant, probe, TRACKED, is_alone=plant in ALONE)
    for name, plant, probe in (
        ("packed objects", packed, EVERY_OBJECT),
        ("loose objects", committed_and_removed, LOOSE),
        ("dangling objects", dangling, EVERY_OBJECT),
        ("log of commits", committed_and_removed, said("log", "-p")),
        ("messages of commits", message, said("log")),
        ("reflog", reflog, said("log", "-g", "-p")),
        ("stash", stash, said("stash", "show", "-p")),
        ("tags", tag, said("log", "-p", "v1")),
        ("branches", branch, said("log", "-p", "--branches")),
        ("remote branches", remote, said("log", "-p", "--remotes")),
        ("notes", notes, said("log", "--show-notes=*")),
        ("ORIG_HEAD", fetched, said("show", "ORIG_HEAD")),
        ("other worktrees", worktree, f"import pathlib; print(pathlib.Path('../other/{CORE}').read_text())"),
        ("alternates", alternates, EVERY_OBJECT),
        ("submodules", submodule, said("-C", "sub", "log", "-p")),
        ("shallow clones", shallow, said("log", "-p")),
        ("partial clones", partial, said("log", "-p")),
        ("bundles", bundle, FROM_BUNDLE),
        ("hooks", hook, "import pathlib; print(pathlib.Path('.git/hooks/pre-commit').read_text())"),
        ("included configuration", included, said("config", "--list")),
        (".git of a folder above", above, said("log", "-p")),
        ("git LFS", large_file, READ_LFS),
        ("replace refs", replaced, said("show", f"HEAD:{CORE}")),
    )
)  # fmt: skip
