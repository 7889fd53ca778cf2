"""Whatever a room sends, the proxy reads it or says why not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.cleanroom.client_hello import NotTls, server_name
from evals.cleanroom.http_head import BadHead, head


def hello(name: bytes, *, before: bytes = b"") -> bytes:
    """A small ClientHello for `name`, after other extensions."""
    listed = b"\0" + len(name).to_bytes(2) + name
    extension = b"\0\0" + (len(listed) + 2).to_bytes(2) + len(listed).to_bytes(2) + listed
    extensions = before + extension
    body = b"\3\3" + bytes(32) + b"\0" + b"\0\2\x13\1" + b"\1\0" + len(extensions).to_bytes(2) + extensions
    return b"\1" + len(body).to_bytes(3) + body


def records(message: bytes, cuts: list[int]) -> bytes:
    at = sorted({cut % len(message) for cut in cuts} - {0})
    parts = [message[a:b] for a, b in zip([0, *at], [*at, len(message)], strict=True)]
    return b"".join(b"\x16\3\1" + len(part).to_bytes(2) + part for part in parts)


@given(st.from_regex(r"[a-z]{1,20}\.example", fullmatch=True), st.lists(st.integers(0, 999), max_size=9))
def test_the_name_is_the_same_however_it_is_cut_and_not_there_before_the_end(name: str, cuts: list[int]):
    sent = records(hello(name.encode()), cuts)
    assert server_name(sent) == server_name(sent + b"more") == name
    assert [server_name(sent[:at]) for at in range(len(sent))] == [None] * len(sent)


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (hello(b"a.example", before=b"\0\0\0\0"), "twice|too soon"),
        (hello(b"a.example")[:-1], None),
        (hello("ä.example".encode()), "not ASCII"),
        (b"\2" + hello(b"a.example")[1:], "not a ClientHello"),
        (hello(b"a.example", before=b"\xfe\x0d\0\0"), "encrypted"),
    ],
)
def test_a_hello_that_is_not_plain(message: bytes, why: str | None):
    if why is None:
        assert server_name(records(message, [])) is None
    else:
        with pytest.raises(NotTls, match=why):
            server_name(records(message, []))


@settings(max_examples=300)
@given(st.binary(max_size=300), st.booleans(), st.lists(st.integers(0, 999), max_size=3))
def test_any_bytes_are_a_hello_or_none(content: bytes, is_record: bool, cuts: list[int]):
    sent = records(b"\1" + len(content).to_bytes(3) + content, cuts) if is_record else content
    try:
        assert isinstance(server_name(sent), str | None)
    except NotTls as error:
        assert str(error)


TARGETS = st.one_of(
    st.binary(max_size=60),
    st.text(max_size=40).map(lambda text: f"http://{text}/".encode()),
    st.sampled_from([b"http://[::1", b"http://a:99999999/", b"http://a]/", b"http://a:0/", b"http://\xff/"]),
)


@settings(max_examples=300)
@given(st.sampled_from([b"GET", b"CONNECT", b""]), TARGETS, st.lists(st.binary(max_size=40), max_size=4))
def test_any_bytes_are_a_head_or_none(method: bytes, target: bytes, fields: list[bytes]):
    sent = b"\r\n".join([method + b" " + target + b" HTTP/1.1", *fields]) + b"\r\n\r\n"
    try:
        asked = head(sent)
    except BadHead as error:
        assert str(error)
    else:
        assert 0 < asked.port < 65536
        assert b"\r\n\r\n" not in asked.onwards()[:-4]
