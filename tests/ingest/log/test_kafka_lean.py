"""Batches are unpacked as kafka-python unpacks them, and what makes no sense is a damaged batch."""

import warnings
from typing import Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.log import kafka_lean
from ingest.log.kafka_client import errors
from ingest.log.kafka_lean import Lean, unpacked

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from kafka.record.default_records import DefaultRecordBatch, DefaultRecordBatchBuilder  # pyright: ignore

BYTES = st.none() | st.binary(max_size=200) | st.integers(0, 40_000).map(bytes)
HEADERS = st.lists(st.tuples(st.text(max_size=8), st.none() | st.binary(max_size=90)), max_size=3)
RECORDS = st.lists(st.tuples(st.integers(0, 2**41), BYTES, BYTES, HEADERS), min_size=1, max_size=20)


def packed(records: list[Any], codec: int = 0) -> bytes:
    builder = cast(Any, DefaultRecordBatchBuilder)(2, codec, False, -1, -1, -1, 1 << 24)
    for number, (timestamp, key, value, headers) in enumerate(records):
        builder.append(number * 3, timestamp, key, value, headers)
    return bytes(builder.build())


def batch(content: bytes) -> Any:
    return cast(Any, DefaultRecordBatch)(content)


def stock(content: bytes) -> list[Lean]:
    return [Lean(each.offset, each.timestamp, each.key, each.value, tuple(each.headers)) for each in batch(content)]


@given(RECORDS, st.sampled_from([0, 1, 3, 4]))
@settings(max_examples=60, deadline=None)
def test_any_batch_is_unpacked_as_kafka_python_does_it(records: list[Any], codec: int) -> None:
    content = packed(records, codec)
    assert list(unpacked(batch(content))) == stock(content)


@given(RECORDS, st.integers(0, 10**6), st.integers(1, 255))
@settings(max_examples=60, deadline=None)
def test_what_is_damaged_is_never_taken_for_another_fault(records: list[Any], where: int, how: int) -> None:
    content = bytearray(packed(records))
    body = 61  # the batch's own header, which has a checksum
    content[body + where % (len(content) - body)] ^= how
    try:
        list(unpacked(batch(bytes(content))))
    except Exception as error:
        assert isinstance(error, errors.CorruptRecordError)


def test_this_version_of_kafka_python_is_read_the_fast_way() -> None:
    assert kafka_lean._records_class() is not None  # pyright: ignore[reportPrivateUsage]
