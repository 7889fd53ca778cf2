"""Whom a room may reach: nobody, or hosts and ports by name, through a proxy that looks at each connection."""

import ipaddress
import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, field_validator

from evals.cleanroom.index import Index

HOST: Final = re.compile(r"(?!-)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*")
INDEX: Final = "index.room"
"""The name under which a room finds its package index."""


class Allowed(BaseModel):
    """A host that may be reached."""

    model_config = ConfigDict(frozen=True)

    host: str
    """By name, in full: no wildcard, no address."""
    port: int = Field(default=443, ge=1, le=65535)
    private: bool = False
    """Its addresses may be private ones, such as those of a mirror in one's own network."""

    @field_validator("host")
    @classmethod
    def _name(cls, host: str) -> str:
        host = plain(host)
        if is_address(host) or not HOST.fullmatch(host):
            raise ValueError(f"{host!r} is no host's name: give it in full, without wildcard or address")
        return host


class Denied(NamedTuple):
    """An attempt that was refused."""

    moment: datetime
    host: str
    port: int
    why: str


Deny = Callable[[Denied], None]
Resolve = Callable[[str, int], Awaitable[list[str]]]
"""Host and port -> addresses."""


class Network(NamedTuple):
    """What a room may reach. With nothing in it nothing is reached, but attempts are told."""

    allow: Sequence[Allowed] = ()
    packages: Index | None = None
    resolve: Resolve | None = None
    """In place of this machine's resolver."""


def plain(host: str) -> str:
    """A host's name as it is compared: without case, and without the dot at its end."""
    return host.lower().removesuffix(".")


def is_address(host: str) -> bool:
    """Whether `host` is an address in any way that a resolver would take for one: 127.1, 0x7f000001 and 2130706433
    too."""
    try:
        ipaddress.ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return re.fullmatch(r"(0x[0-9a-f]+|\d+)(\.(0x[0-9a-f]+|\d+)){0,3}", host) is not None
    return True


def is_private(address: str) -> bool:
    """Whether an address is not one of the public internet; one of IPv4 in one of IPv6 is looked at as such."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address) and (inner := found.ipv4_mapped or found.sixtofour):
        found = inner
    return not found.is_global or found.is_multicast
