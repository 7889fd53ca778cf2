"""Who can be reached from a machine, and would tell."""

import contextlib
import os
import socket
import threading
from pathlib import Path
from typing import Final

from evals.cleanroom.leaks.leak import Leak, World

DATAGRAM: Final = """
import socket
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.settimeout(1)
asked = b'ab\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0' + b'\\6answer\\4acme\\0' + b'\\0\\x10\\0\\1'
client.sendto(asked, (<name server>))
print(client.recv(512))
"""


def asked_at(family: str, place: str) -> str:
    """A probe that connects to what is known as `place`, and prints what is said."""
    return (
        f"import socket\nclient = socket.socket(socket.{family})\nclient.settimeout(1)\n"
        f"client.connect(<{place}>)\nprint(client.recv(100))\n"
    )


def attended(world: World, name: str, server: socket.socket) -> None:
    """Say the secret to whoever asks at `server`, until the world ends; probes know its place by `name`."""
    secret, over = world.secret.encode(), threading.Event()
    world.known[name] = repr(server.getsockname())
    is_datagram = server.type == socket.SOCK_DGRAM
    server.settimeout(0.05)

    def attend() -> None:
        while not over.is_set():
            with contextlib.suppress(OSError):
                if is_datagram:
                    asked, who = server.recvfrom(512)
                    server.sendto(asked[:2] + b"\x81\x80" + asked[4:] + secret, who)
                else:
                    client, _ = server.accept()
                    with client:
                        client.sendall(secret)

    thread = threading.Thread(target=attend)
    thread.start()
    world.until.callback(server.close)
    world.until.callback(thread.join)
    world.until.callback(over.set)


def own_address() -> str:
    """An address of this machine other than the loopback, if it has one that needs no name."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        try:
            client.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return client.getsockname()[0]


def loopback(world: World) -> None:
    """Said by a server on the loopback."""
    attended(world, "loopback", socket.create_server(("127.0.0.1", 0)))


def on_own_address(world: World) -> None:
    """Said by a server on an address of this machine."""
    attended(world, "own address", socket.create_server((own_address(), 0)))


def name_server(world: World) -> None:
    """Said by a name server."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 0))
    attended(world, "name server", server)


def unix_socket(world: World) -> None:
    """Said by a server on a socket in a folder."""
    path = Path("/var/tmp", f"acme-{os.getpid()}.sock")
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    server.listen()
    world.until.callback(path.unlink)
    attended(world, "unix socket", server)


def abstract_socket(world: World) -> None:
    """Said by a server on a socket without a file."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(f"\0acme-{os.getpid()}")
    server.listen()
    attended(world, "abstract socket", server)


LEAKS: Final = tuple(
    Leak(name, "machine", plant, probe, ("copy",))
    for name, plant, probe in (
        ("name server", name_server, DATAGRAM),
        ("loopback", loopback, asked_at("AF_INET", "loopback")),
        ("direct address", on_own_address, asked_at("AF_INET", "own address")),
        ("unix sockets", unix_socket, asked_at("AF_UNIX", "unix socket")),
        ("abstract unix sockets", abstract_socket, asked_at("AF_UNIX", "abstract socket")),
    )
)
