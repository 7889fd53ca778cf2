"""The filter as numbers: run here by a small machine of our own, for both architectures. What the kernel makes of it
is in `test_bubblewrap`."""

import errno
import struct

import pytest

from evals.cleanroom.room import NoRoom
from evals.cleanroom.seccomp import AARCH64, ALLOW, ERRNO, KILL, REFUSED, X86_64, program


def answer(code: bytes, arch: int, number: int, *arguments: int) -> int:
    """What `code` says to a system call."""
    seen = struct.pack("=IIQ6Q", number, arch, 0, *(*arguments, 0, 0, 0, 0, 0, 0)[:6])
    lines = list(struct.iter_unpack("=HBBI", code))
    loaded, at = 0, 0
    while True:
        operation, if_true, if_false, value = lines[at]
        at += 1
        match operation:
            case 0x20:
                (loaded,) = struct.unpack_from("=I", seen, value)
            case 0x15:
                at += if_true if loaded == value else if_false
            case 0x35:
                at += if_true if loaded >= value else if_false
            case 0x45:
                at += if_true if loaded & value else if_false
            case _:
                return value


@pytest.mark.parametrize(("machine", "architecture"), [("x86_64", X86_64), ("aarch64", AARCH64)])
def test_what_is_refused(machine: str, architecture: tuple[int, int]):
    code, (arch, column) = program(machine), architecture
    clone, clone3, sockets = ((56, 435, 41), (220, 435, 198))[column]
    for numbers in REFUSED.values():
        if (number := numbers[column]) is not None:
            assert answer(code, arch, number) == ERRNO | errno.EPERM
    assert answer(code, arch, clone3) == ERRNO | errno.ENOSYS
    assert answer(code, arch, clone, 0x10000011) == ERRNO | errno.EPERM
    assert answer(code, arch, clone, 0x003D0F00) == ALLOW, "a thread"
    assert [answer(code, arch, sockets, family) == ALLOW for family in (1, 2, 10, 16)] == [True] * 4
    assert [answer(code, arch, sockets, family) for family in (17, 38, 40)] == [ERRNO | errno.EPERM] * 3
    assert answer(code, arch, (0, 63)[column]) == ALLOW, "read"


def test_other_tables_of_calls_end_the_process():
    code = program("x86_64")
    assert answer(code, 0x40000003, 1) == KILL, "i386"
    assert answer(code, X86_64.audit, 0x40000000 | 1) == KILL, "x32"
    assert answer(program("aarch64"), X86_64.audit, 1) == KILL


def test_an_unknown_machine_has_no_room():
    with pytest.raises(NoRoom, match="riscv64"):
        program("riscv64")
