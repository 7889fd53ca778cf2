"""Which system calls a room lets through, as a program for the kernel's filter, put together by a few lines of our own.

A list of what is refused: all that makes or joins namespaces, mounts, looks into or writes to other processes, loads
code into the kernel, or opens a socket to anything but the room's own network. `clone3` hides its flags behind a
pointer, which a filter can't follow: it is told to be missing, and libc then takes `clone`. Calls of another
architecture's table (i386, x32) end the process. Left out: a list of what is allowed, which each new libc would
outgrow.
"""

import errno
import platform
import struct
from typing import Final, NamedTuple

from evals.cleanroom.room import NoRoom


class Architecture(NamedTuple):
    """How one kind of machine numbers what we refuse."""

    audit: int
    """The kernel's name for it (AUDIT_ARCH_*)."""
    column: int
    """Of REFUSED."""


X86_64: Final = Architecture(0xC000003E, 0)
AARCH64: Final = Architecture(0xC00000B7, 1)
ARCHITECTURES: Final = {"x86_64": X86_64, "amd64": X86_64, "aarch64": AARCH64, "arm64": AARCH64}

REFUSED: Final[dict[str, tuple[int | None, int | None]]] = {
    # other processes
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "process_madvise": (440, 440), "pidfd_getfd": (438, 438), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    # namespaces and mounts
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "chroot": (161, 51), "move_mount": (429, 429), "open_tree": (428, 428), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265), "fanotify_init": (300, 262),
    # the kernel, its keys, its clock
    "bpf": (321, 280), "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "swapon": (167, 224), "swapoff": (168, 225), "reboot": (169, 142), "acct": (163, 89),
    "quotactl": (179, 60), "quotactl_fd": (443, 443), "syslog": (103, 116), "lookup_dcookie": (212, 18),
    "nfsservctl": (180, 42), "settimeofday": (164, 170), "clock_settime": (227, 112), "clock_adjtime": (305, 266),
    "adjtimex": (159, 171), "sethostname": (170, 161), "setdomainname": (171, 162), "vhangup": (153, 58),
    "iopl": (172, None), "ioperm": (173, None), "modify_ldt": (154, None), "uselib": (134, None),
}  # fmt: skip
"""By name, its number on x86_64 and on aarch64; None: there is no such call."""

CLONE: Final = (56, 220)
CLONE3: Final = (435, 435)
SOCKET: Final = (41, 198)
IOCTL: Final = (16, 29)

NEW_NAMESPACES: Final = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET."""
FAMILIES: Final = (1, 2, 10, 16)
"""Of sockets: unix, IPv4, IPv6, netlink (by which libc lists interfaces)."""
TERMINAL_INPUT: Final = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX: they type into the terminal of whoever opened the room."""
X32: Final = 0x40000000

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCH, FIRST, SECOND = 0, 4, 16, 24
"""Where in `struct seccomp_data` these lie; of an argument the low half, on machines whose low half comes first."""
ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000

Line = tuple[int, int, int, int]


def program(machine: str | None = None) -> bytes:
    """The filter for `machine` (by default this one), as `struct sock_filter`s. Raises NoRoom for an unknown one."""
    name = machine or platform.machine()
    if name not in ARCHITECTURES:
        raise NoRoom(f"no filter of system calls is known for {name}: rooms run on {', '.join(ARCHITECTURES)}")
    audit, column = ARCHITECTURES[name]
    lines = [(LOAD, 0, 0, ARCH), (EQUAL, 1, 0, audit), (RETURN, 0, 0, KILL), (LOAD, 0, 0, NUMBER)]
    if column == 0:
        lines += [(AT_LEAST, 0, 1, X32), (RETURN, 0, 0, KILL)]
    for numbers in REFUSED.values():
        if (number := numbers[column]) is not None:
            lines += when(number, [refuse(errno.EPERM)])
    lines += when(CLONE3[column], [refuse(errno.ENOSYS)])
    lines += when(
        CLONE[column],
        [(LOAD, 0, 0, FIRST), (ANY_BIT, 0, 1, NEW_NAMESPACES), refuse(errno.EPERM), (RETURN, 0, 0, ALLOW)],
    )
    known = [line for family in FAMILIES for line in ((EQUAL, 0, 1, family), (RETURN, 0, 0, ALLOW))]
    lines += when(SOCKET[column], [(LOAD, 0, 0, FIRST), *known, refuse(errno.EPERM)])
    typed = [line for request in TERMINAL_INPUT for line in ((EQUAL, 0, 1, request), refuse(errno.EPERM))]
    lines += when(IOCTL[column], [(LOAD, 0, 0, SECOND), *typed, (RETURN, 0, 0, ALLOW)])
    lines.append((RETURN, 0, 0, ALLOW))
    return b"".join(struct.pack("=HBBI", *line) for line in lines)


def when(number: int, then: list[Line]) -> list[Line]:
    """`then`, which ends in a RETURN, for one system call; its number is loaded, and stays so for the lines after."""
    return [(EQUAL, 0, len(then), number), *then]


def refuse(error: int) -> Line:
    """The call fails with `error`, and the process goes on."""
    return (RETURN, 0, 0, ERRNO | error)
