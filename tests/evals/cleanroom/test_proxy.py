"""The way out: real rooms, a real proxy, real servers."""

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evals.cleanroom.bubblewrap import open_room
from evals.cleanroom.network import Allowed, Denied, Network, is_address, is_private
from evals.cleanroom.proxy import Proxy
from tests.evals.cleanroom.servers import answering, certificate, here

FETCH = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1], timeout=10).read().decode())"


@pytest.fixture(scope="module")
def plain_server() -> Iterator[tuple[int, list[str]]]:
    with answering() as told:
        yield told


@pytest.mark.usefixtures("rooms")
def test_a_room_reaches_whom_it_may_and_nobody_else(tmp_path: Path):
    context, authority = certificate("good.example")
    with answering(context) as (port, seen), answering() as (other, _):
        network = Network((Allowed(host="good.example", port=port, private=True),), resolve=here)
        with open_room(None, network=network) as room:
            (room.tree / "ca.pem").write_bytes(authority)
            trusting = {"SSL_CERT_FILE": "/work/ca.pem"}

            def fetched(url: str) -> bool:
                return room.run(["python", "-c", FETCH, url], env=trusting).ok

            assert fetched(f"https://good.example:{port}/x")
            assert seen == [f"GET good.example:{port} /x "]
            for host, at in (("bad.example", port), ("good.example", other), ("127.0.0.1", port), ("0x7f.1", port)):
                assert not fetched(f"http://{host}:{at}/" if host != "bad.example" else f"https://{host}:{at}/")
            told = [(each.host, each.port, each.why) for each in room.denied if each.host != "127.0.0.1"]
            assert told == [
                ("bad.example", port, "not on the list"),
                ("good.example", other, "not on the list"),
                ("0x7f.1", port, "an address in place of a name"),
            ]
            direct = (
                "import socket\n"
                f"for place in (('127.0.0.1', {port}), ('192.0.2.1', 80), ('1.1.1.1', 53)):\n"
                "    try: socket.create_connection(place, 3); print('reached', place)\n"
                "    except OSError: pass\n"
                "try: print(socket.getaddrinfo('good.example', 80))\n"
                "except socket.gaierror: pass\n"
            )
            assert room.run(["python", "-c", direct]).stdout == b""
    assert len(seen) == 1


@pytest.mark.usefixtures("rooms")
def test_attempts_are_told_where_nothing_is_allowed_and_commands_at_once_have_a_way_each():
    with open_room(None, network=Network()) as room:
        running = room.start(["python", "-c", FETCH, "http://one.example/"])
        assert not room.run(["python", "-c", FETCH, "http://two.example/"]).ok
        assert not running.wait().ok
        assert {each.host for each in room.denied} == {"one.example", "two.example"}


class Way:
    """A proxy, and a socket to it."""

    def __init__(self, *allowed: Allowed, resolve: object = here) -> None:
        self.denied: list[Denied] = []
        self.proxy = Proxy(allowed, self.denied.append, resolve=resolve)  # type: ignore[arg-type]
        listening = socket.create_server(("127.0.0.1", 0))
        self.port = listening.getsockname()[1]
        self.proxy.serve(listening)

    def say(self, *parts: bytes, pause: float = 0.0) -> bytes:
        """What comes back, to its end."""
        with socket.create_connection(("127.0.0.1", self.port), 10) as client:
            for part in parts:
                try:
                    client.sendall(part)
                except OSError:
                    break
                time.sleep(pause)
            answer = b""
            try:
                while more := client.recv(65536):
                    answer += more
            except ConnectionResetError:
                pass
            return answer

    def whys(self) -> list[str]:
        return [each.why for each in self.denied]


@pytest.fixture
def ways() -> Iterator[Callable[..., Way]]:
    made: list[Way] = []

    def make(*allowed: Allowed, resolve: object = here) -> Way:
        made.append(Way(*allowed, resolve=resolve))
        return made[-1]

    yield make
    for way in made:
        way.proxy.close()


def hello(name: str | None) -> bytes:
    """The ClientHello of Python's own TLS."""
    context = ssl.create_default_context()
    context.check_hostname = False
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context.wrap_bio(incoming, outgoing, server_hostname=name)
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


def connect(port: int, host: str = "good.example") -> bytes:
    return f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode()


def in_records(message: bytes, size: int) -> bytes:
    """The same handshake in records of `size` bytes."""
    body = message[5:]
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(message[:3] + len(part).to_bytes(2) + part for part in parts)


@pytest.mark.parametrize(
    ("first", "why"),
    [
        (hello("bad.example"), "its server name says 'bad.example'"),
        (in_records(hello("bad.example"), 7), "its server name says 'bad.example'"),
        (hello(None), "TLS without a server name"),
        (in_records(hello(None), 1), "TLS without a server name"),
        (b"GET / HTTP/1.1\r\n\r\n", "not TLS"),
        (b"SSH-2.0-x\r\n", "not TLS"),
        (b"\x16\x03\x01\x00\x04\x02\x00\x00\x00", "not a ClientHello"),
        (b"\x16\x03\x01\x00\x00", "a record of an impossible length"),
        (hello("good.example")[:60], "it ended before its ClientHello"),
    ],
    ids=lambda each: each if isinstance(each, str) else "bytes",  # a hello is another each time
)
def test_a_tunnel_that_names_another_or_none(
    ways: Callable[..., Way], plain_server: tuple[int, list[str]], first: bytes, why: str
):
    port, seen = plain_server
    way = ways(Allowed(host="good.example", port=port, private=True))
    before = len(seen)
    with socket.create_connection(("127.0.0.1", way.port), 10) as client:
        client.sendall(connect(port))
        assert client.recv(1000).startswith(b"HTTP/1.1 200")
        for at in range(0, len(first), 40):
            client.sendall(first[at : at + 40])
            time.sleep(0.002)
        client.shutdown(socket.SHUT_WR)
        while client.recv(1000):
            pass
    assert way.whys() == [why]
    assert len(seen) == before


@pytest.mark.parametrize("size", [1, 30, 16384])
def test_a_split_hello_for_the_right_host_goes_through_as_it_came(ways: Callable[..., Way], size: int):
    """What arrives at the other end is the same bytes, and what comes back comes back."""
    first = in_records(hello("Good.example"), size)
    with socket.create_server(("127.0.0.1", 0)) as server:
        arrived: list[bytes] = []

        def attend() -> None:
            there, _ = server.accept()
            with there:
                got = b""
                while len(got) < len(first):
                    got += there.recv(65536)
                arrived.append(got)
                there.sendall(b"answer")

        thread = threading.Thread(target=attend)
        thread.start()
        port = server.getsockname()[1]
        way = ways(Allowed(host="good.example", port=port, private=True))
        answer = way.say(connect(port), *(first[at : at + 20] for at in range(0, len(first), 20)))
        thread.join()
    assert arrived == [first]
    assert answer.endswith(b"\r\n\r\nanswer")
    assert way.denied == []


def test_an_encrypted_hello_is_refused(ways: Callable[..., Way]):
    plain = hello("good.example")
    extension = b"\xfe\x0d\x00\x02\x00\x00"
    body = bytearray(plain[9:])
    at = 34 + 1 + body[34]
    at += 2 + int.from_bytes(body[at : at + 2])
    at += 1 + body[at]
    body[at : at + 2] = (int.from_bytes(body[at : at + 2]) + len(extension)).to_bytes(2)
    body += extension
    message = b"\x01" + len(body).to_bytes(3) + body
    way = ways(Allowed(host="good.example", private=True))
    way.say(connect(443), b"\x16\x03\x01" + len(message).to_bytes(2) + message)
    assert way.whys() == ["an encrypted ClientHello"]


PORT = 65432
"""Stands for the server's, where that is not known yet."""


def get(host: str, port: int, path: str = "/", said: str | None = None) -> bytes:
    return f"GET http://{host}:{port}{path} HTTP/1.1\r\nHost: {said or f'{host}:{port}'}\r\n\r\n".encode()


def test_plain_requests_and_bodies_go_through(ways: Callable[..., Way], plain_server: tuple[int, list[str]]):
    port, _ = plain_server
    way = ways(Allowed(host="good.example", port=port, private=True))
    assert way.say(get("GOOD.example.", port, "/a?b=c")).endswith(f"GET good.example:{port} /a?b=c ".encode())
    post = f"POST http://good.example:{port}/p HTTP/1.1\r\nHost: good.example:{port}\r\n"
    assert way.say(f"{post}Content-Length: 4\r\n\r\nbody".encode()).endswith(b"/p body")
    chunked = f"{post}Transfer-Encoding: chunked\r\n\r\n3\r\nbod\r\n1;x=y\r\ny\r\n0\r\nT: x\r\n\r\n".encode()
    assert way.say(chunked[:-30], chunked[-30:], pause=0.02).endswith(b"/p body")
    assert way.denied == []


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (get("good.example", PORT, said="bad.example"), "Host says bad.example"),
        (get("good.example", PORT).replace(b"\r\n\r\n", b"\r\nHost: x\r\n\r\n"), "Host says"),
        (b"GET / HTTP/1.1\r\nHost: good.example\r\n\r\n", "not asked of a proxy"),
        (get("user:password@good.example", PORT), "no host and port"),
        (get("bad.example", PORT), "not on the list"),
        (get("127.1", PORT), "an address in place of a name"),
        (get("[::1]", PORT), "an address in place of a name"),
        (get("2130706433", PORT), "an address in place of a name"),
        (b"CONNECT good.example HTTP/1.1\r\n\r\n", "no host and port"),
        (b"\x05\x01\x00\r\n\r\n", "not HTTP/1"),
        (
            get("good.example", PORT).replace(b"\r\n\r\n", b"\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"),
            "said twice",
        ),
        (
            get("good.example", PORT).replace(
                b"\r\n\r\n", b"\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
            ),
            "said twice",
        ),
        (get("good.example", PORT).replace(b"\r\n\r\n", b"\r\nA : b\r\n\r\n"), "a field that is none"),
    ],
)
def test_a_request_that_is_refused(
    ways: Callable[..., Way], plain_server: tuple[int, list[str]], asked: bytes, why: str
):
    port, seen = plain_server
    way = ways(Allowed(host="good.example", port=port, private=True))
    before = len(seen)
    assert way.say(asked.replace(str(PORT).encode(), str(port).encode())).startswith(b"HTTP/1.1 403")
    assert why in way.whys()[0]
    assert len(seen) == before


def test_a_second_host_on_a_kept_connection_is_not_reached(ways: Callable[..., Way]):
    with answering() as (port, seen), answering() as (other, others):
        way = ways(Allowed(host="good.example", port=port, private=True))
        answer = way.say(get("good.example", port) + get("bad.example", other) + get("good.example", port, "/third"))
        assert answer.count(b"HTTP/1.1 200") == 1
        assert (seen, others) == ([f"GET good.example:{port} / "], [])
        assert [(each.host, each.port) for each in way.denied] == [("bad.example", other)]


@pytest.mark.parametrize("body", [b"5\r\nabc\r\n0\r\n\r\n", b"zz\r\n", b"1" * 17 + b"\r\n", b"1" * 70_000])
def test_a_body_that_is_not_what_it_says_goes_no_further(ways: Callable[..., Way], body: bytes):
    with answering() as (port, seen):
        way = ways(Allowed(host="good.example", port=port, private=True))
        post = f"POST http://good.example:{port}/p HTTP/1.1\r\nHost: good.example:{port}\r\n"
        assert b" 200 " not in way.say(f"{post}Transfer-Encoding: chunked\r\n\r\n".encode() + body)
        assert (seen, len(way.denied)) == ([], 1)


def test_private_addresses_need_an_entry_that_says_so(ways: Callable[..., Way], plain_server: tuple[int, list[str]]):
    port, seen = plain_server
    before = len(seen)
    way = ways(Allowed(host="good.example", port=port))
    assert way.say(get("good.example", port)).startswith(b"HTTP/1.1 403")
    assert way.whys() == ["its address is private: 127.0.0.1"]
    assert len(seen) == before


def test_a_host_that_is_not_there_is_no_denial(ways: Callable[..., Way]):
    async def nowhere(host: str, port: int) -> list[str]:
        return []

    way = ways(Allowed(host="good.example", port=80), resolve=nowhere)
    assert way.say(get("good.example", 80)).startswith(b"HTTP/1.1 502")
    assert way.denied == []


def test_names_and_addresses_are_told_apart():
    assert all(
        map(
            is_address, ("127.0.0.1", "127.1", "0x7f000001", "2130706433", "::1", "[::1]", "fe80::1%eth0", "0177.0.0.1")
        )
    )
    assert not any(map(is_address, ("example.org", "a1.example", "1.2.3.4.example", "0xff.example")))
    private = (
        "10.0.0.1",
        "127.0.0.1",
        "169.254.169.254",
        "::1",
        "::ffff:10.0.0.1",
        "fd00::1",
        "0.0.0.0",
        "100.64.0.1",
        "224.0.0.1",
    )
    assert all(map(is_private, private))
    assert not any(map(is_private, ("1.1.1.1", "2606:4700:4700::1111")))


@pytest.mark.parametrize("host", ["127.0.0.1", "*.example.org", "http://x", "", "a b", "-a.example", "[::1]"])
def test_entries_are_full_names(host: str):
    with pytest.raises(ValueError, match="no host's name"):
        Allowed(host=host)
