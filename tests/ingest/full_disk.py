"""A disk that is full in mid-write, as far as a test without root gets."""

import resource
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def files_end_at(size: int) -> Generator[None]:
    """The system refuses to let any file of this process grow beyond `size` bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
