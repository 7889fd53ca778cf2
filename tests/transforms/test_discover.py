"""Discovery end to end on an embedded log: what is proposed, once, with ids that a repeat gives again."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest.home import Home
from ingest.log import EventLog, open_log, publish, replay
from ingest.reader import query
from ingest.sink import Sink
from models.errors import FlywheelError
from models.events import AnyEvent, parse
from models.events.comment import CommentLeft
from models.events.taxonomy import DiscoveryStarted, ModeProposed
from models.feedback import Author, Target
from tests.transforms.comparing import differing
from transforms.build import build
from transforms.taxonomy.discover import discover_modes

STICKERS = (
    "The llama sticker in my parcel was purple again.",
    "My parcel came with a torn llama sticker on the lid.",
    "Where is the llama sticker that belongs in the parcel?",
    "Third parcel this month whose llama sticker fell off.",
    "Please stop putting the llama sticker under the parcel tape.",
    "The parcel smelled of glue from the llama sticker.",
    "Our dog ate the llama sticker before we opened the parcel.",
    "A llama sticker on a parcel should not be upside down.",
    "The llama on the sticker of my parcel has only three legs.",
    "I bought the parcel for its llama sticker and got none.",
)
GATES = (
    "The badge for the car park gate did not open it this morning.",
    "Car park gate rejects my badge whenever it rains.",
    "I waited at the car park gate because the badge reader was dark.",
    "The gate of the car park took my badge and kept it.",
    "New badge, same car park gate, still closed.",
    "Please mend the badge reader at the car park gate.",
    "My badge opens the office but not the car park gate.",
    "The car park gate opened for everyone else's badge.",
    "Twice now the car park gate has closed on my badge.",
    "No badge, no car park: the gate stays shut.",
)


def comments(texts: tuple[str, ...], name: str, authors: int) -> list[AnyEvent]:
    """Comments of a product, numbered from 0 as in every other."""
    return [
        CommentLeft(
            id=str(number),
            source=name,
            target=Target(kind="response", id=f"{name}-{number}"),
            author=Author(kind="human", id=f"u{number % authors}"),
            text=text,
        )
        for number, text in enumerate(texts)
    ]


def taxonomy(log: Any) -> list[AnyEvent]:
    return [parse(record.value, record.headers) for record in replay(log, "taxonomy")]


def replayed(home: Home, log: EventLog, copy: Path) -> None:
    """Both batches and their modes once more: from the log, then from the lake."""
    Sink(log, home).drain()
    build(home)
    shutil.copyfile(home.warehouse, copy)
    discovered = query(
        home,
        "select count(*), count(*) filter (where feedback_count > 5) from dim_failure_modes "
        "where origin = 'discovered'",
    ).rows
    assert discovered == [(2, 2)]
    for lost in ((home.lake, home.builds), (home.builds,)):
        for folder in lost:
            shutil.rmtree(folder)
        home.warehouse.unlink()
        Sink(log, home).drain()
        assert build(home).changed
        assert differing(copy, home.warehouse) == []


def test_discovery_proposes_once_and_repeats_what_was_killed(new_lab: Callable[[str], Any], tmp_path: Path) -> None:
    home = new_lab("discovery").home
    with open_log(None, home.path) as log:
        with pytest.raises(FlywheelError, match="no build yet"):
            discover_modes(home, log)
        publish(log, comments(STICKERS, "sticker", 3))
        Sink(log, home).drain()
        build(home)
        assert discover_modes(home, log) == (1, 1)
        first = taxonomy(log)
        assert [event.type for event in first] == [
            "taxonomy.discovery_started.v1",
            "taxonomy.mode_proposed.v1",
            "taxonomy.discovery_completed.v1",
            "taxonomy.mode_accepted.v1",
        ]
        assert discover_modes(home, log) == (0, 0)
        publish(log, comments(GATES, "gate", 1))
        Sink(log, home).drain()
        build(home)
        assert discover_modes(home, log) == (1, 0)  # one person's complaint is proposed, not accepted
        proposed = taxonomy(log)[len(first) + 1]
        assert isinstance(proposed, ModeProposed)
        assert set(proposed.member_keys) <= {f"gate|{number}" for number in range(len(GATES))}
        assert discover_modes(home, log) == (0, 0)
        replayed(home, log, tmp_path / "as-built.duckdb")
    started = first[0]
    assert isinstance(started, DiscoveryStarted)
    with open_log(None, tmp_path) as killed:
        publish(killed, [started])
        assert discover_modes(home, killed) == (1, 1)
        assert taxonomy(killed) == first
