"""Where rooms can't be had, it says why, and what to do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from evals.cleanroom.box import why_not

CHECK = "from evals.cleanroom.check import check; print(check())"


def checked(path: Path, before: str = "") -> str:
    """What a new process with nothing but `path` to find bubblewrap in says."""
    words = [sys.executable, "-c", before + CHECK]
    return subprocess.run(
        words, capture_output=True, text=True, check=True, env={**os.environ, "PATH": str(path)}
    ).stdout


@pytest.mark.usefixtures("rooms")
def test_it_says_what_rooms_are_made_of():
    said = checked(Path(os.environ["PATH"]))
    assert "works=True" in said
    assert "bubblewrap" in said


def test_no_bubblewrap(tmp_path: Path):
    assert "apt-get install bubblewrap" in checked(tmp_path)


def test_a_bubblewrap_that_is_too_old(tmp_path: Path):
    old = tmp_path / "bwrap"
    old.write_text("#!/bin/sh\necho '--seccomp FD --clearenv'\n")
    old.chmod(0o755)
    assert "too old" in checked(tmp_path)


@pytest.mark.usefixtures("rooms")
def test_a_kernel_that_forbids_it():
    """Made so by a limit of 0 user namespaces, set in a user namespace of the test's own."""
    words = ["unshare", "--user", "--map-root-user", "sh", "-c"]
    forbid = 'echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --reuid 0 "$0" -c "$1"'
    ran = subprocess.run([*words, forbid, sys.executable, CHECK], capture_output=True, text=True, check=False)
    if "max_user_namespaces" in ran.stderr:
        pytest.skip(f"this machine lets no test forbid it: {ran.stderr}")
    assert "works=False" in ran.stdout, ran.stderr
    assert "max_user_namespaces" in ran.stdout


def test_what_else_bubblewrap_says_is_passed_on():
    assert why_not("bwrap: Can't find source path /x") == "bubblewrap made no room: bwrap: Can't find source path /x"
