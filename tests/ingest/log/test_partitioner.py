"""The partitioner agrees with Kafka's own, so that producers in other languages put a key where we do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.log.kafka_client import kafka
from ingest.log.partitioner import murmur2, partition_of


@given(st.binary(max_size=64))
def test_the_hash_is_the_one_of_kafka_python(key: bytes) -> None:
    assert murmur2(key) == kafka.partitioner.default.murmur2(key)


@pytest.mark.parametrize(
    ("key", "expected"),
    [  # signed 32-bit results that Apache Kafka's own UtilsTest holds its hash to
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)
def test_the_hash_is_the_one_of_the_java_client(key: bytes, expected: int) -> None:
    assert murmur2(key) == expected % 2**32


@given(st.binary(max_size=64), st.integers(min_value=1, max_value=100))
def test_every_key_has_a_partition(key: bytes, partitions: int) -> None:
    assert 0 <= partition_of(key, partitions) < partitions
