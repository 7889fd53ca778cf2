"""Names by which a machine means itself: who comes by one of them comes from this machine."""

NAMES = frozenset({"127.0.0.1", "localhost", "::1"})


def is_loopback(name: str) -> bool:
    """Whether the name of a host, without a port, is of this machine alone."""
    return name.lower().removeprefix("[").removesuffix("]") in NAMES


def name_of(host: str) -> str:
    """The name in a `Host` header, without the port."""
    return host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
