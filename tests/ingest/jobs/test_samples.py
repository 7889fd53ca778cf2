import hashlib
import io
from pathlib import Path

import polars as pl
import pytest

from ingest.home import Home
from ingest.jobs.samples import Sample, read_samples
from models.errors import TerminalError
from models.specs import DataRef


def kept(home: Home, frame: pl.DataFrame) -> DataRef:
    content = io.BytesIO()
    frame.write_parquet(content)
    sha256 = hashlib.sha256(content.getvalue()).hexdigest()
    home.sets.mkdir(exist_ok=True)
    (home.sets / f"{sha256}.parquet").write_bytes(content.getvalue())
    return DataRef(sha256=sha256, rows=len(frame))


def test_samples_come_in_the_order_of_their_ids(tmp_path: Path) -> None:
    home = Home.open(tmp_path)
    data = kept(home, pl.DataFrame({"sample_id": ["b", "a"], "text": ["no", None], "is_negative": [True, None]}))
    assert read_samples(home, data) == [Sample("a"), Sample("b", text="no", is_negative=True)]


def test_a_set_that_is_missing_changed_or_of_another_shape_is_refused(tmp_path: Path) -> None:
    home = Home.open(tmp_path)
    with pytest.raises(TerminalError, match="is missing"):
        read_samples(home, DataRef(sha256="0" * 64, rows=1))
    data = kept(home, pl.DataFrame({"sample_id": ["a"], "target_kind": ["planet"]}))
    with pytest.raises(TerminalError, match="'planet' is no kind of target"):
        read_samples(home, data)
    (home.sets / f"{data.sha256}.parquet").write_bytes(b"other")
    with pytest.raises(TerminalError, match="not what its spec names"):
        read_samples(home, data)
    with pytest.raises(TerminalError, match="no column sample_id"):
        read_samples(home, kept(home, pl.DataFrame({"id": ["a"]})))
