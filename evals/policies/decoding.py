"""A batch of conversations to their next words, token by token: padded on the left, each row with luck of its own.

Left out: a batch that takes in newcomers; it goes on until its last row has ended.
"""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch


class Row(NamedTuple):
    """One conversation."""

    tokens: list[int]
    limit: int
    """At most so many new tokens."""
    seed: int
    until: float
    """Monotonic seconds after which nobody waits for it any more."""


class Said(NamedTuple):
    """What came of it."""

    tokens: list[int]
    """New ones, without the one that ends them."""
    cut_off: bool | None
    """None: it had not ended when nobody waited for it any more."""


@torch.inference_mode()
def decode(model: Any, rows: Sequence[Row], ends: frozenset[int], temperature: float) -> list[Said]:
    """The new tokens of each row; the likeliest ones at temperature 0, else drawn.

    Any of `ends` ends a row. Raises RuntimeError where the device has no memory for all of them.
    """
    longest = max(len(row.tokens) for row in rows)
    ids = torch.zeros((len(rows), longest), dtype=torch.long)  # (B, T)
    mask = torch.zeros_like(ids)
    for place, row in enumerate(rows):
        ids[place, longest - len(row.tokens) :] = torch.tensor(row.tokens)
        mask[place, longest - len(row.tokens) :] = 1
    ids, mask = ids.to(model.device), mask.to(model.device)
    places = (mask.cumsum(-1) - 1).clamp(min=0)
    luck = [torch.Generator().manual_seed(row.seed) for row in rows]
    patience = max(row.until for row in rows)
    said: list[list[int]] = [[] for _ in rows]
    cut_off: list[bool | None] = [None for _ in rows]
    cache: Any = None
    while True:
        out = model(input_ids=ids, attention_mask=mask, position_ids=places, cache=cache, use_cache=True)
        cache = out.cache
        logits = out.logits[:, -1].float().cpu()  # (B, V)
        chosen = [0] * len(rows)
        for place, row in enumerate(rows):
            if cut_off[place] is not None:
                continue
            chosen[place] = token = _choose(logits[place], temperature, luck[place])
            if token in ends:
                cut_off[place] = False
                continue
            said[place].append(token)
            if len(said[place]) >= row.limit:
                cut_off[place] = True
        if all(end is not None for end in cut_off) or time.monotonic() > patience:
            return [Said(tokens, cut) for tokens, cut in zip(said, cut_off, strict=True)]
        ids = torch.tensor(chosen, device=model.device)[:, None]
        mask = torch.cat([mask, torch.ones_like(ids)], dim=1)
        places = places[:, -1:] + 1


def _choose(logits: torch.Tensor, temperature: float, luck: torch.Generator) -> int:
    if temperature == 0:
        return int(logits.argmax())
    return int(torch.multinomial(torch.softmax(logits / temperature, -1), 1, generator=luck))


def ends_of(model: Any, tokenizer: Any) -> frozenset[int]:
    """The tokens that end a reply."""
    said: list[Any] = [
        getattr(model.generation_config, "eos_token_id", None),
        model.config.eos_token_id,
        tokenizer.eos_token_id,
    ]
    found: set[int] = set()
    for each in said:
        found.update(each if isinstance(each, list) else [] if each is None else [each])  # pyright: ignore[reportUnknownArgumentType]
    return frozenset(found)
