"""A real room: what it shows, what it holds, and how it ends commands."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evals.cleanroom import cgroups, command
from evals.cleanroom.bubblewrap import BubblewrapRoom, open_room, open_room_at
from evals.cleanroom.room import Limits, Room

pytestmark = pytest.mark.usefixtures("rooms")
SMALL = Limits(seconds=20, memory_mb=200, processes=40, file_mb=40, disk_mb=60, output_mb=1)


@pytest.fixture(scope="module")
def shared() -> Iterator[BubblewrapRoom]:
    with open_room(None, limits=SMALL) as room:
        yield room


@pytest.fixture
def room() -> Iterator[BubblewrapRoom]:
    with open_room(None, limits=SMALL) as room:
        yield room


def python(room: BubblewrapRoom, text: str, **more: float):
    return room.run(["python", "-c", text], **more)  # type: ignore[arg-type]


def test_a_command_has_its_streams_its_code_and_its_environment(shared: BubblewrapRoom):
    text = "import os, sys; print(sys.stdin.read() + os.environ['SAID']); sys.stderr.write('e'); sys.exit(3)"
    ran = shared.run(["python", "-c", text], stdin=b"in", env={"SAID": "so"})
    assert (ran.ended, ran.code, ran.stdout, ran.stderr) == ("exited", 3, b"inso\n", b"e")


def test_large_input_and_output_pass_and_unread_input_is_no_error(shared: BubblewrapRoom):
    assert shared.run(["cat"], stdin=b"x" * 900_000).stdout == b"x" * 900_000
    assert shared.run(["true"], stdin=b"x" * 900_000).ok


def test_commands_of_a_room_see_what_others_have_written(shared: BubblewrapRoom):
    assert shared.run(["sh", "-c", "echo a > f; echo b > /tmp/f; echo c > ~/f"]).ok
    assert shared.run(["sh", "-c", "cat f /tmp/f ~/f"]).stdout == b"a\nb\nc\n"
    assert (shared.tree / "f").read_text() == "a\n"


def test_what_does_not_exist_is_said_as_a_shell_says_it(shared: BubblewrapRoom):
    ran = shared.run(["no-such-command"])
    assert (ran.ended, ran.code, ran.stderr) == ("exited", 127, b"no-such-command: No such file or directory\n")
    assert shared.run(["true"], cwd="/nowhere").code == 127


def test_it_is_a_room(shared: BubblewrapRoom):
    room: Room = shared
    assert room.denied == []


def test_names_and_accounts_are_its_own(tmp_path: Path):
    source = tmp_path / "fix-of-the-parser"
    source.mkdir()
    with open_room(source, limits=SMALL) as room:
        ran = room.run(["sh", "-c", "hostname; id -un; echo $HOME; cat /proc/self/mountinfo; ls /etc/resolv.conf /sys"])
        assert ran.stdout.startswith(b"room\nagent\n/home/agent\n")
        assert b"parser" not in ran.stdout
        assert ran.stderr.count(b"No such file") == 2
        assert room.run(["touch", "/x", "/etc/x", "/usr/x", "/dev/x", "/opt/room/x"]).stderr.count(b"Read-only") == 5


def test_a_signal_is_a_negative_code(shared: BubblewrapRoom):
    assert shared.run(["sh", "-c", "kill -9 $$"]).code == -9


def test_what_a_command_leaves_behind_is_killed(shared: BubblewrapRoom):
    ran = shared.run(["sh", "-c", "setsid nohup sleep 60 >/dev/null 2>&1 & (sleep 61 &) ; echo done"])
    assert (ran.ended, ran.stdout) == ("exited", b"done\n")
    seen = shared.run(["sh", "-c", "cat /proc/[0-9]*/cmdline"]).stdout
    assert b"sleep" not in seen


def test_time_ends_the_whole_tree(shared: BubblewrapRoom):
    ran = shared.run(["sh", "-c", "setsid sleep 60 & trap '' TERM; echo here; sleep 60"], seconds=0.3)
    assert (ran.ended, ran.code, ran.stdout) == ("timed out", None, b"here\n")
    assert ran.seconds < 10
    assert b"sleep" not in shared.run(["sh", "-c", "cat /proc/[0-9]*/cmdline"]).stdout


def test_memory_is_held_and_the_room_lives_on(shared: BubblewrapRoom):
    assert python(shared, "b = bytearray(400 << 20); print(len(b))").ended == "out of memory"
    assert python(shared, "b = bytearray(50 << 20); print(len(b))").ok


def test_children_count_into_the_memory(shared: BubblewrapRoom):
    text = (
        "import subprocess, sys\n"
        "hog = [sys.executable, '-c', 'import time; b = bytearray(90 << 20); time.sleep(1)']\n"
        "children = [subprocess.Popen(hog) for _ in range(4)]\n"
        "sys.exit(max(abs(child.wait()) for child in children))"
    )
    assert python(shared, text).ended == "out of memory"


def test_forks_are_held(shared: BubblewrapRoom):
    text = (
        "import os, time\n"
        "made = 0\n"
        "try:\n"
        "    while True:\n"
        "        if os.fork() == 0:\n"
        "            time.sleep(30)\n"
        "        made += 1\n"
        "except BlockingIOError:\n"
        "    print(made)\n"
    )
    ran = python(shared, text)
    assert ran.ok
    assert 5 < int(ran.stdout) <= SMALL.processes


def test_output_without_an_end_is_cut(shared: BubblewrapRoom):
    ran = shared.run(["yes"])
    assert (ran.ended, ran.code, len(ran.stdout)) == ("too much output", None, 1 << 20)


def test_one_file_is_held(room: BubblewrapRoom):
    ran = room.run(["sh", "-c", "head -c 50000000 /dev/zero > f; stat -c %s f"])
    assert int(ran.stdout) == 40 << 20


@pytest.mark.parametrize("folder", [".", "/tmp", "/home/agent"])
def test_a_full_disk_ends_the_command_and_tidying_up_is_let(room: BubblewrapRoom, folder: str):
    text = "for i in 1 2 3 4 5 6 7 8 9; do head -c 20000000 /dev/zero > f$i; sleep 0.1; done"
    assert room.run(["sh", "-c", text], cwd=folder if folder != "." else "/work").ended == "out of disk"
    assert room.run(["sh", "-c", f"cd {folder}; sleep 0.1; rm f*; sleep 0.1"]).ok


def test_a_disk_is_full_of_files_without_a_name_too(room: BubblewrapRoom):
    text = (
        "import tempfile, time\n"
        "held = []\n"
        "for _ in range(9):\n"
        "    held.append(tempfile.TemporaryFile())\n"
        "    held[-1].write(bytes(20_000_000)); held[-1].flush()\n"
        "    time.sleep(0.1)\n"
    )
    assert python(room, text).ended == "out of disk"


def test_a_disk_is_full_of_empty_files_too():
    text = "import os\nfor n in range(90_000): os.close(os.open(f'f{n}', os.O_CREAT))\n"
    with open_room(None, limits=SMALL.model_copy(update={"disk_mb": 10})) as room:
        assert python(room, text).ended == "out of disk"


def descendants(process: int) -> set[int]:
    told = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True, check=False).stdout
    children = {int(child) for child in told.split()}
    return children.union(*(descendants(child) for child in children))


@pytest.fixture
def killable() -> Iterator[tuple[BubblewrapRoom, int]]:
    """A room, and process 1 of its one box."""
    before = descendants(os.getpid())
    with open_room(None, limits=SMALL) as room:
        started = descendants(os.getpid()) - before
        (process,) = (process for process in started if b"/inside.py" in command_line(process).split(b"\0--\0")[0])
        yield room, process


def test_a_box_that_is_killed_from_outside_is_replaced(killable: tuple[BubblewrapRoom, int]):
    room, process = killable
    running = room.start(["sh", "-c", "echo on; sleep 60"])
    assert running.stdout.readline() == b"on\n"
    os.kill(process, signal.SIGKILL)
    assert running.wait().ended == "killed"
    assert room.run(["echo", "on"]).stdout == b"on\n"


def test_a_box_that_was_killed_between_two_commands_is_replaced(killable: tuple[BubblewrapRoom, int]):
    room, process = killable
    os.kill(process, signal.SIGKILL)
    while (stat := Path(f"/proc/{process}/stat")).exists() and stat.read_text().rsplit(")", 1)[1].split()[0] != "Z":
        time.sleep(0.01)
    assert room.run(["echo", "on"]).stdout == b"on\n"


def test_a_box_that_does_not_listen_is_ended_all_the_same(
    killable: tuple[BubblewrapRoom, int], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(command, "LATE", 0.2)
    room, process = killable
    os.kill(process, signal.SIGSTOP)
    assert room.run(["sleep", "60"], seconds=0.2).ended == "timed out"
    assert room.run(["echo", "on"]).stdout == b"on\n"


def test_closing_ends_commands_of_other_threads():
    ran: list[str] = []
    with open_room(None, limits=SMALL) as room:
        at_work = threading.Thread(target=lambda: ran.append(room.run(["sh", "-c", "echo > begun; sleep 60"]).ended))
        at_work.start()
        assert eventually((room.tree / "begun").exists)
    at_work.join(10)
    assert ran == ["killed"]


def test_rooms_that_open_at_once_do_not_sweep_each_other_away():
    ran: list[bytes] = []

    def work() -> None:
        for _ in range(5):
            with open_room(None, limits=SMALL) as room:
                ran.append(room.run(["cat"], stdin=b"on").stdout)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ran == [b"on"] * 20


def command_line(process: int) -> bytes:
    return Path(f"/proc/{process}/cmdline").read_bytes()


def test_shared_memory_has_an_end_too(shared: BubblewrapRoom):
    assert b"No space left" in shared.run(["sh", "-c", "head -c 90000000 /dev/zero > /dev/shm/f"]).stderr + (
        shared.run(["sh", "-c", "for i in 1 2 3; do head -c 30000000 /dev/zero > /dev/shm/f$i; done"]).stderr
    )


def test_a_dialogue(shared: BubblewrapRoom):
    running = shared.start(["python", "-uc", "import sys\nfor line in sys.stdin: print(line.upper(), end='')"])
    running.stdin.write(b"abc\n")
    assert running.stdout.readline() == b"ABC\n"
    running.stdin.close()
    assert running.wait().ok


def test_a_dialogue_ends_by_time_and_by_hand(shared: BubblewrapRoom):
    assert shared.start(["sleep", "60"]).wait(0.2).ended == "timed out"
    running = shared.start(["sleep", "60"])
    running.kill()
    assert running.wait().ended == "killed"


def test_one_who_reads_without_waiting_is_let_go_at_the_limit():
    with open_room(None, limits=SMALL.model_copy(update={"seconds": 0.3})) as room:
        running = room.start(["sleep", "60"])
        assert running.stdout.read() == b""
        assert running.wait().ended == "timed out"


def test_commands_run_side_by_side(shared: BubblewrapRoom):
    running = shared.start(["sh", "-c", "echo on; cat"])
    assert running.stdout.readline() == b"on\n"
    ran: list[bytes] = []

    def echo(number: int) -> None:
        ran.append(shared.run(["echo", str(number)]).stdout)

    threads = [threading.Thread(target=echo, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ran) == [b"0\n", b"1\n", b"2\n", b"3\n"]
    running.stdin.close()
    assert running.wait().ok


def test_process_1_can_be_neither_killed_nor_looked_into(shared: BubblewrapRoom):
    text = (
        "import os\n"
        "for number in range(1, 65):\n"
        "    try: os.kill(1, number)\n"
        "    except OSError: pass\n"
        "for name in ('environ', 'mem', 'maps', 'fd/4', 'cwd'):\n"
        "    try: print(os.open(f'/proc/1/{name}', os.O_RDONLY))\n"
        "    except PermissionError: pass\n"
    )
    ran = python(shared, text)
    assert (ran.ended, ran.code, ran.stdout) == ("exited", 0, b"")
    assert shared.run(["true"]).ok


@pytest.mark.parametrize(
    "call",
    [
        "libc.ptrace(0, 0, 0, 0)",
        "libc.unshare(0x10000000)",
        "libc.unshare(0x40000000)",
        "libc.mount(b'none', b'/tmp', b'tmpfs', 0, 0)",
        "libc.syscall(321, 0, 0, 0)",  # bpf
        "libc.syscall(250, 0, 0, 0)",  # keyctl
        "libc.syscall(425, 1, buffer)",  # io_uring_setup
        "libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0)",  # clone into a new user namespace
        "libc.process_vm_readv(1, 0, 0, 0, 0, 0)",
        "libc.socket(40, 1, 0)",  # vsock
        "libc.socket(17, 3, 0)",  # packet
        "libc.socket(38, 5, 0)",  # alg
        "libc.ioctl(0, 0x5412, buffer)",
    ],
)
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="numbers of system calls are those of x86_64")
def test_the_filter_refuses(shared: BubblewrapRoom, call: str):
    text = (
        "import ctypes, errno\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "buffer = ctypes.create_string_buffer(256)\n"
        f"answer = {call}\n"
        "print(answer, errno.errorcode.get(ctypes.get_errno()))\n"
    )
    assert python(shared, text).stdout == b"-1 EPERM\n"


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="numbers of system calls are those of x86_64")
def test_threads_and_processes_work_though_clone3_is_missing(shared: BubblewrapRoom):
    text = (
        "import ctypes, errno, subprocess, threading\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "print(libc.syscall(435, 0, 0), errno.errorcode[ctypes.get_errno()])\n"
        "thread = threading.Thread(target=print, args=('thread',)); thread.start(); thread.join()\n"
        "subprocess.run(['echo', 'process'])\n"
    )
    ran = shared.run(["python", "-uc", text])
    assert ran.stdout == b"-1 ENOSYS\nthread\nprocess\n"


def test_the_tree_is_a_copy_and_the_source_stays(tmp_path: Path):
    (tmp_path / "source").mkdir()
    (tmp_path / "source/f").write_text("as it was")
    (tmp_path / "source/link").symlink_to("f")
    with open_room(tmp_path / "source", limits=SMALL) as room:
        assert room.run(["sh", "-c", "cat link; echo changed > f; rm link"]).stdout == b"as it was"
    assert (tmp_path / "source/f").read_text() == "as it was"
    assert (tmp_path / "source/link").is_symlink()


def test_a_room_at_a_tree_writes_into_it_as_its_owner(tmp_path: Path):
    tree = tmp_path / "tree"
    tree.mkdir()
    if os.geteuid() == 0:
        os.chown(tree, 4321, 4321)
    with open_room_at(tree, limits=SMALL) as room:
        assert room.run(["sh", "-c", "echo x > made"]).ok
    assert (tree / "made").stat().st_uid == tree.stat().st_uid


def test_nothing_is_left_of_a_room():
    with open_room(None, limits=SMALL) as room:
        running = room.start(["sleep", "61.5"])
        tree = room.tree
    assert running.wait().ended == "killed"
    assert not tree.parent.exists()
    assert sleeping("61.5") == []
    if place := cgroups.where():
        groups = list(place.memory.glob(f"flywheel-room-{os.getpid()}-*"))
        assert len(groups) <= 1, "but for that of the room that the other tests share"


def sleeping(seconds: str) -> list[str]:
    told = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in told.splitlines() if line == f"sleep {seconds}"]


def eventually(is_so: Callable[[], bool]) -> bool:
    until = time.monotonic() + 20
    while not is_so() and time.monotonic() < until:
        time.sleep(0.05)
    return is_so()


def test_no_room_outlives_its_opener():
    text = (
        "import time\n"
        "from evals.cleanroom.bubblewrap import open_room\n"
        "with open_room(None) as room:\n"
        "    room.start(['sleep', '62.5'])\n"
        "    print('on', room.tree.parent, flush=True)\n"
        "    time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True) as opener:
        assert opener.stdout
        home = Path(opener.stdout.readline().split()[1])
        assert eventually(lambda: len(sleeping("62.5")) == 1)
        opener.kill()
    assert eventually(lambda: sleeping("62.5") == [])
    with open_room(None, limits=SMALL):
        assert not home.exists(), "the next room sweeps up after it"
