"""What a million comments cost: deduplicating, assigning and discovering, embedding apart.

    python -m benchmarks.failure_modes_million [--quick] [--json FILE]

The comments are made of CLINC150 and banking77: 330,000 distinct texts, of which a fourth nearly repeat another (a
letter changed), the rest have a tail of their own words; other comments repeat one of them, some in capitals. A text's
vector is that of the text it was made of with noise, and is read from a file as the product reads its cache. The steps
are the product's: `transforms.texts` (hash, language, bands), `transforms.groups`, the classifier that a taxonomy of 40
intents is fitted to (25 examples each), and `discover` on what it abstains on.

In a process of its own with one thread: CPU seconds and the largest resident memory of the whole process, reading its
input included. `growth` is the CPU of a million over that of 100,000; `rebuild_share` the CPU of taking in 10,000 more
comments over that of the million.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.failure_modes_clustering import ONE_THREAD
from benchmarks.failure_modes_input import Labelled, banking, clinc, some_intents
from transforms.groups import NOTHING_KNOWN, grouped
from transforms.taxonomy.centroids import assign_to_centroids
from transforms.taxonomy.classifier import SeededClassifier
from transforms.taxonomy.discovery import discover
from transforms.taxonomy.fit import fit
from transforms.texts import bands, hashed

FULL, TENTH, MORE = 1_000_000, 100_000, 10_000
DISTINCT = 0.33
NEAR = 0.25
NOISE = 0.35
"""Length of the noise beside a vector of length 1: the cosine of two texts of one origin is about .89."""
AT_ONCE = 20_000
MEMBERS_A_MODE = 40
BEGAN = datetime(2026, 11, 1, tzinfo=UTC)


class Known(NamedTuple):
    """What a build goes by: the classifier, vectors of all texts, and what was discovered before."""

    classifier: SeededClassifier
    vectors: NDArray[np.float32]
    centroids: NDArray[np.float64]
    members: NDArray[np.float32]


def main() -> None:
    """Print a table, a row a figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--quick", action="store_true", help="20,000 comments, and 2,000")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--folder", type=Path, help="run on the input in this folder, in this process")
    args = parser.parse_args()
    if args.folder:
        print(json.dumps(run(args.folder)))
        return
    found = measure(quick=args.quick)
    for key, value in found.items():
        print(f"{key:28} {value:.4f}")
    if args.json:
        args.json.write_text(json.dumps(found, indent=2) + "\n")


def measure(*, quick: bool = False) -> dict[str, float]:
    """A tenth and all of it, each in a process of its own."""
    sizes = (2_000, 20_000) if quick else (TENTH, FULL)
    tenth, full = (_in_own_process(size, size // 100 if quick else MORE) for size in sizes)
    return {
        **{f"million_{key}": value for key, value in full.items()},
        "million_growth": full["cpu_s"] / tenth["cpu_s"],
        "million_rebuild_share": full["rebuild_cpu_s"] / full["cpu_s"],
    }


def _in_own_process(comments: int, more: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as place:
        _make(Path(place), comments, more)
        command = [sys.executable, "-m", "benchmarks.failure_modes_million", "--folder", place]
        ran = subprocess.run(command, env={**os.environ, **ONE_THREAD}, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(ran.stdout.splitlines()[-1])


def _make(folder: Path, comments: int, more: int) -> None:
    """Write the comments, those that come later, and the vectors of all their texts by normal form."""
    chance = np.random.default_rng(5)
    parts = [clinc("train"), clinc("val"), clinc("test"), clinc("oos_test"), banking("train"), banking("test")]
    base = [text for part in parts for text in part.texts]
    vectors = np.vstack([part.vectors for part in parts])
    words = sorted({word for text in base for word in text.split() if word.isalpha() and len(word) > 3})
    count = int((comments + more) * DISTINCT)
    own = int(count * (1 - NEAR))
    origin = chance.integers(0, len(base), own)
    tails: list[list[str]] = chance.choice(np.array(words), (own, 6)).tolist()
    origins: list[int] = origin.tolist()
    texts = [f"{base[at]} {' '.join(tail)}" for at, tail in zip(origins, tails, strict=True)]
    copied = chance.integers(0, own, count - own)
    of: list[int] = copied.tolist()
    texts += [_changed(texts[at], number) for number, at in enumerate(of)]
    texts = [" ".join(text.split()) for text in texts]
    origin = np.concatenate([origin, origin[copied]])
    made = np.lib.format.open_memmap(folder / "vectors.npy", "w+", np.float32, (count, vectors.shape[1]))
    for start in range(0, count, AT_ONCE):
        block = vectors[origin[start : start + AT_ONCE]]
        noise = chance.normal(size=block.shape).astype(np.float32)
        block = block + NOISE * noise / np.linalg.norm(noise, axis=1, keepdims=True)
        made[start : start + AT_ONCE] = block / np.linalg.norm(block, axis=1, keepdims=True)
    made.flush()
    later = int(more * DISTINCT)
    first = chance.permutation(count - later)
    said = np.concatenate([first, chance.choice(first, comments - len(first))])
    after = np.concatenate([np.arange(count - later, count), chance.choice(first, more - later)])
    for name, rows in (("comments", chance.permutation(said)), ("more", chance.permutation(after))):
        loud: list[bool] = (chance.random(len(rows)) < 0.1).tolist()
        chosen: list[int] = rows.tolist()
        pl.DataFrame(
            {
                "text": [
                    texts[row].upper() if shouted else texts[row] for row, shouted in zip(chosen, loud, strict=True)
                ],
                "row": rows,
            }
        ).write_parquet(folder / f"{name}.parquet")


def _changed(text: str, number: int) -> str:
    """The same with a letter doubled: nearly the same by its 4-grams."""
    place = len(text) - 1 - number % 5
    return text[:place] + text[place] + text[place:]


def run(folder: Path) -> dict[str, float]:
    """CPU seconds of each step, of all, and of taking in more; the largest memory in GB."""
    texts = _taxonomy()
    vectors = np.load(folder / "vectors.npy", mmap_mode="r")
    began = time.process_time()
    classifier = fit(texts.texts, texts.intents, texts.vectors)
    warehouse = duckdb.connect(str(folder / "warehouse.duckdb"), config={"threads": 1, "memory_limit": "1GB"})
    warehouse.execute("create table landed (text varchar, row bigint, received_at timestamptz)")
    warehouse.execute("create table texts (text_key varchar, text_hash varchar, normal_form varchar, language varchar)")
    warehouse.execute("create table bands (text_hash varchar, band integer, band_hash bigint)")
    warehouse.execute("create table groups as from (" + NOTHING_KNOWN + ")")
    nothing = np.empty((0, vectors.shape[1]), np.float32)
    known = Known(classifier, vectors, nothing.astype(np.float64), nothing)
    steps: dict[str, float] = {"fit_cpu_s": time.process_time() - began}
    known, figures = _take_in(warehouse, folder / "comments.parquet", BEGAN, known, steps)
    cpu = time.process_time() - began
    again = time.process_time()
    _take_in(warehouse, folder / "more.parquet", BEGAN + timedelta(days=1), known, {})
    return {
        "cpu_s": cpu,
        "peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2,
        "rebuild_cpu_s": time.process_time() - again,
        **steps,
        **figures,
    }


def _taxonomy() -> Labelled:
    known = some_intents(clinc("train"), 40, 25, 3)
    off = clinc("oos_train")
    return Labelled(
        known.texts + off.texts, known.intents + ["other"] * len(off.texts), np.vstack([known.vectors, off.vectors])
    )


def _take_in(
    warehouse: duckdb.DuckDBPyConnection,
    file: Path,
    at: datetime,
    known: Known,
    steps: dict[str, float],
) -> tuple[Known, dict[str, float]]:
    """What a build and a discovery do with the comments of `file`; the CPU seconds of each step go into `steps`."""
    clock = time.process_time()
    warehouse.execute(f"insert into landed select text, row, ? from read_parquet('{file}')", [at])
    fresh: Any = warehouse.sql(
        "select distinct text from landed where md5(text) not in (select text_key from texts)"
    ).pl()
    warehouse.register("new_texts", hashed(fresh["text"].to_list()))
    warehouse.execute("insert into texts from new_texts")
    warehouse.unregister("new_texts")
    unbanded = warehouse.sql(
        "select distinct text_hash, normal_form from texts where text_hash not in (select text_hash from bands)"
    ).pl()
    for part in unbanded.iter_slices(AT_ONCE):
        warehouse.register("banded", bands(part))
        warehouse.execute("insert into bands from banded")
        warehouse.unregister("banded")
    steps["texts_cpu_s"], clock = time.process_time() - clock, time.process_time()
    moved = grouped(warehouse, *(warehouse.table(name) for name in ("landed", "texts", "bands", "groups")))
    warehouse.execute("delete from groups where text_hash in (select text_hash from moved)")
    warehouse.execute("insert into groups select text_hash, group_hash, first_at from moved")
    steps["groups_cpu_s"], clock = time.process_time() - clock, time.process_time()
    leading = warehouse.sql(
        "select texts.text_hash, any_value(texts.normal_form) as normal_form, min(landed.row) as row "
        "from moved inner join texts on moved.text_hash = texts.text_hash and moved.group_hash = moved.text_hash "
        "inner join landed on md5(landed.text) = texts.text_key group by texts.text_hash order by texts.text_hash"
    ).pl()
    silent: list[NDArray[np.bool_]] = [np.zeros(0, dtype=np.bool_)]
    for part in leading.iter_slices(AT_ONCE):
        rows = known.vectors[part["row"].to_numpy()]
        said = known.classifier.assign(part["normal_form"].to_list(), rows)
        near = assign_to_centroids(rows, known.centroids)
        silent.append(said.abstained & (near.index < 0))
    abstained = leading.filter(pl.Series(np.concatenate(silent)))
    steps["assign_cpu_s"], clock = time.process_time() - clock, time.process_time()
    rows = known.vectors[abstained["row"].to_numpy()]
    found = discover(
        rows,
        keys=abstained["text_hash"].to_list(),
        known_centroids=known.centroids if len(known.centroids) else None,
        known_members=known.members if len(known.members) else None,
    )
    steps["discover_cpu_s"] = time.process_time() - clock
    figures = {
        "distinct": float(leading.height + int((moved["text_hash"] != moved["group_hash"]).sum())),
        "leading": float(leading.height),
        "abstained": float(abstained.height),
        "modes": float(len(found.centroids)),
    }
    # Some members of each mode, as a discovery that follows reads them.
    chosen = [np.flatnonzero(found.labels == label)[:MEMBERS_A_MODE] for label in range(len(found.centroids))]
    members = rows[np.concatenate(chosen)] if chosen else rows[:0]
    return known._replace(centroids=found.centroids, members=members), figures


if __name__ == "__main__":
    main()
