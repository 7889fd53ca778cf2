"""A body into the JSON texts of its events, each as it was sent, without reading what they say.

A part that is broken does not take the others with it, where its end can still be found.
"""

import json

import msgspec

from ingest.collector.answers import Turned

MANY_PARTS = 500_000
"""Commas of a body. Beyond, it is walked through part by part: a list of millions of nothings would fill the memory."""

NOTHING = "the list is empty: there is no event in it"
"""Why such a list is refused: who sends it believes that there was one."""

_PARTS = msgspec.json.Decoder(list[msgspec.Raw])
_SPACE = " \t\n\r"


def split(body: bytes, most: int) -> list[bytes]:
    """The elements of the JSON list in `body`. Raises Turned: 413 for more than `most`, 400 where it is no list."""
    if body.count(b",") <= MANY_PARTS:
        try:
            parts = _PARTS.decode(body)
        except (msgspec.DecodeError, RecursionError, ValueError):
            return _walk(
                body, most
            )  # it is stricter than the door (NaN, lone surrogates), and says less of what is wrong
        _check(len(parts), most)
        return [bytes(part) for part in parts]
    return _walk(body, most)


def is_list(body: bytes) -> bool:
    """Whether `body` begins like a JSON list."""
    return body.lstrip()[:1] == b"["


def _walk(body: bytes, most: int) -> list[bytes]:
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        raise Turned(400, f"the body is not UTF-8: byte 0x{body[error.start]:02x} at {error.start}") from error
    decoder = json.JSONDecoder()
    parts: list[bytes] = []
    place = _skip(text, 0)
    if text[place : place + 1] != "[":
        raise Turned(400, f"the body is not a JSON list: it begins with {text[place : place + 20]!r}")
    place = _skip(text, place + 1)
    if text[place : place + 1] == "]":
        _check_end(text, place + 1)
        return []
    while True:
        try:
            _, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            raise Turned(400, f"event {len(parts)} of the body is not JSON: {error}") from error
        parts.append(text[place:end].encode())
        _check(len(parts), most)
        place = _skip(text, end)
        if text[place : place + 1] == "]":
            _check_end(text, place + 1)
            return parts
        if text[place : place + 1] != ",":
            raise Turned(400, f"the list ends after event {len(parts) - 1} with {text[place : place + 20]!r}")
        place = _skip(text, place + 1)


def _skip(text: str, place: int) -> int:
    while text[place : place + 1] in _SPACE and place < len(text):
        place += 1
    return place


def _check(events: int, most: int) -> None:
    if events > most:
        raise Turned(413, f"the batch has more than {most:,} events, the limit: send it in parts")


def _check_end(text: str, place: int) -> None:
    if text[place:].strip(_SPACE):
        raise Turned(400, f"after the list the body goes on with {text[place : place + 20]!r}")
