"""Which partition a key belongs to: murmur2 as in Kafka's Java client, so that other producers agree with ours.

Left out: entries without a key. Ours always have one.

Source of the hash: Austin Appleby's MurmurHash2 (32 bit), seeded 0x9747b28c, top bit dropped, modulo the partitions.
"""

from functools import lru_cache

SEED = 0x9747B28C
MIX = 0x5BD1E995
SHIFT = 24
WORD = 0xFFFFFFFF


@lru_cache(maxsize=16_384)
def partition_of(key: bytes, partitions: int) -> int:
    """The partition, from 0, of `key` in a topic that has `partitions` of them. Keys repeat, so results are kept."""
    return (murmur2(key) & 0x7FFFFFFF) % partitions


def murmur2(key: bytes) -> int:
    """The 32-bit MurmurHash2 of `key`, unsigned."""
    whole = len(key) & ~3
    mixed = SEED ^ len(key)
    for start in range(0, whole, 4):
        word = int.from_bytes(key[start : start + 4], "little") * MIX & WORD
        word = (word ^ word >> SHIFT) * MIX & WORD
        mixed = (mixed * MIX & WORD) ^ word
    if whole < len(key):
        mixed = (mixed ^ int.from_bytes(key[whole:], "little")) * MIX & WORD
    mixed = (mixed ^ mixed >> 13) * MIX & WORD
    return mixed ^ mixed >> 15
