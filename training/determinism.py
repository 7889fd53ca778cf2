"""One thread and deterministic kernels while a network is fitted: a run that was killed ends with the same bits."""

from collections.abc import Generator
from contextlib import contextmanager

import torch


@contextmanager
def deterministic(seed: int) -> Generator[None]:
    """Seed torch's generator and settle everything else that could differ; what was set before comes back after."""
    threads = torch.get_num_threads()
    were = torch.are_deterministic_algorithms_enabled()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    try:
        with torch.random.fork_rng(devices=[]):  # pyright: ignore[reportUnknownMemberType]
            torch.manual_seed(seed)  # pyright: ignore[reportUnknownMemberType]
            yield
    finally:
        torch.use_deterministic_algorithms(were)
        torch.set_num_threads(threads)
