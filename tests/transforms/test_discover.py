"""Discovery end to end on an embedded log: what is proposed, once, with ids that a repeat gives again."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
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
from models.events.taxonomy import (
    DiscoveryStarted,
    LabelWithdrawn,
    ModeDefined,
    ModeMerged,
    ModeProposed,
    ModeRenamed,
    ModeRetired,
    SplitProposed,
    TextLabelled,
)
from models.feedback import Author, Target
from tests.transforms.comparing import differing
from text.normal_form import text_hash
from transforms.build import build
from transforms.taxonomy.changes import Word, accept
from transforms.taxonomy.discover import discover_modes
from transforms.taxonomy.told import told

NOON = datetime(2026, 11, 3, 12, tzinfo=UTC)

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
KETTLES = (
    "The kettle on the third floor boils over onto the desk.",
    "Somebody took the lid of the third floor kettle.",
    "Our kettle on the third floor hums and never boils.",
    "The third floor kettle has limescale thick as a thumb.",
    "I burnt my hand on the handle of the third floor kettle.",
    "The switch of the kettle upstairs on three sticks.",
    "No water comes out of the third floor kettle at all.",
    "The kettle on floor three trips the fuse each morning.",
    "That third floor kettle leaks from its base.",
    "Third floor: the kettle smells of burnt plastic.",
)
DISCOVER = """
import sys
from pathlib import Path
from ingest.home import Home
from ingest.log import open_log
from transforms.taxonomy.discover import discover_modes
with open_log(None, Path(sys.argv[2])) as log:
    print(*discover_modes(Home(Path(sys.argv[1])), log))
"""


def in_another_process(*arguments: object) -> str:
    """What Python prints that is run with these arguments, another hash seed and another number of threads."""
    environment = os.environ | {"PYTHONHASHSEED": "2", "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, *map(str, arguments)], env=environment, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


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


def word(sticker: str, gate: str) -> list[AnyEvent]:
    """What persons say of the two modes that were discovered, of a built-in one, of their own, and of texts."""
    said: dict[str, Any] = {"source": "t"}
    label: dict[str, Any] = {"source": "t", "comment_key": "sticker|0", "text_hash": text_hash(STICKERS[0])}
    other: dict[str, Any] = {"source": "t", "comment_key": "gate|2", "text_hash": text_hash(GATES[2])}
    own = tuple(f"The lift to floor {number} is stuck again." for number in ("one", "two", "three", "four", "five"))
    return [
        ModeRenamed(id="1", mode_id=sticker, name="Stickers", renamed_by="ann", **said),
        ModeMerged(id="2", mode_id="resourcefulness", merged=(gate,), merged_by="ann", **said),
        ModeMerged(id="3", mode_id="scope_calibration", merged=("resourcefulness",), merged_by="ann", **said),
        ModeRetired(id="4", mode_id="latency_cost", retired_by="ann", **said),
        ModeDefined(
            id="5", mode_id="lift", name="Lift", examples=own, example_keys=("gate|0",), defined_by="ann", **said
        ),
        ModeDefined(id="6", mode_id="few", name="Few", examples=("One is not enough.",), defined_by="ann", **said),
        TextLabelled(id="7", modes=(sticker, "latency_cost"), labelled_by="ann", **label),
        TextLabelled(id="8", modes=("refusals",), labelled_by="bob", **label),
        TextLabelled(id="9", modes=(), labelled_by="bob", **label),
        TextLabelled(id="10", modes=(gate, "resourcefulness"), labelled_by="ann", **other),
        TextLabelled(id="11", modes=("refusals",), labelled_by="bob", **other),
        LabelWithdrawn(id="12", labelled_by="bob", **other),
        TextLabelled(id="13", modes=("latency_cost",), labelled_by="eve", **other),
    ]  # fmt: skip


def check_marts(home: Home, sticker: str, gate: str) -> None:
    """The taxonomy of now decides."""
    modes = {
        row[0]: row[1:]
        for row in query(home, "select mode_id, name, status, counts_as, owner from int_modes").rows
    }  # fmt: skip
    assert modes[sticker] == ("Stickers", "accepted", sticker, None)
    assert modes[gate][1:3] == ("merged", "scope_calibration")
    assert modes["latency_cost"][1:3] == ("retired", None)
    assert modes["lift"][1:3] == ("accepted", "lift")
    shown = query(home, "select event_key, mode_id from fct_feedback_modes").rows
    assert {mode for _, mode in shown}.isdisjoint({gate, "resourcefulness", "latency_cost"})
    of_gate = {str(key) for key, mode in shown if mode == "scope_calibration"}
    assert len(of_gate & {f"gate|{number}" for number in range(1, 10)}) > 5
    assert [mode for key, mode in shown if key == "gate|0"] == ["lift"]
    counts = dict(query(home, "select mode_id, feedback_count from dim_failure_modes").rows)
    assert (counts[sticker] > 5, counts["scope_calibration"] > 5, counts[gate]) == (True, True, 0)
    learnt = dict(query(home, "select mode_id, count(*) from int_mode_examples group by 1").rows)
    assert learnt["lift"] == 6
    assert {"latency_cost", "few"}.isdisjoint(learnt)
    assert "resourcefulness" in learnt
    labels = query(
        home, "select event_key, labelled_by, mode_id, people, is_disputed from int_mode_labels order by all"
    ).rows
    assert labels == [
        ("gate|2", "ann", "scope_calibration", 1, False),
        ("sticker|0", "ann", sticker, 2, True),
        ("sticker|0", "bob", None, 2, True),
    ]


def replayed(home: Home, log: EventLog, copy: Path) -> None:
    """All batches and their modes once more: from the log in another process, then from the lake in this one."""
    Sink(log, home).drain()
    build(home)
    shutil.copyfile(home.warehouse, copy)
    for lost in ((home.lake, home.builds), (home.builds,)):
        for folder in lost:
            shutil.rmtree(folder)
        home.warehouse.unlink()
        Sink(log, home).drain()
        if home.lake in lost:
            in_another_process("-m", "flywheel", "build", "--home", home.path)
        else:
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
        assert discover_modes(home, log) == (1, 1, 0)
        first = taxonomy(log)
        assert [event.type for event in first] == [
            "taxonomy.discovery_started.v1",
            "taxonomy.mode_proposed.v1",
            "taxonomy.discovery_completed.v1",
            "taxonomy.mode_accepted.v1",
        ]
        assert discover_modes(home, log) == (0, 0, 0)
        publish(log, comments(GATES, "gate", 1))
        Sink(log, home).drain()
        build(home)
        assert discover_modes(home, log) == (1, 0, 0)  # one person's complaint is proposed, not accepted
        proposed = taxonomy(log)[len(first) + 1]
        assert isinstance(proposed, ModeProposed)
        assert set(proposed.member_keys) <= {f"gate|{number}" for number in range(len(GATES))}
        assert discover_modes(home, log) == (0, 0, 0)
        publish(log, comments(KETTLES, "kettle", 3))
        Sink(log, home).drain()
        build(home)
        assert discover_modes(home, log) == (1, 1, 0)
        (sticker,) = (event.mode_id for event in first if isinstance(event, ModeProposed))
        publish(log, word(sticker, proposed.mode_id))
        replayed(home, log, tmp_path / "as-built.duckdb")
        check_marts(home, sticker, proposed.mode_id)
    started = first[0]
    assert isinstance(started, DiscoveryStarted)
    with open_log(None, tmp_path) as killed:
        publish(killed, [started])
        assert in_another_process("-c", DISCOVER, home.path, tmp_path) == "1 1 0\n"
        assert taxonomy(killed) == first
    check_split(home, started, tmp_path / "both")


def check_split(home: Home, started: DiscoveryStarted, folder: Path) -> None:
    """A mode that was made of both complaints is asked about once, with a part for each; a person's yes makes them."""
    keys = tuple(sorted(f"{name}|{number}" for name in ("gate", "sticker") for number in range(10)))
    both = ModeProposed(
        id="both", source="t", mode_id="both", discovery_id="d", name="Parcels and gates", terms=(),
        centroid=(1.0, *(0.0,) * 383), cohesion=0.5, embedding=started.embedding, member_keys=keys, medoid_key=keys[0],
    )  # fmt: skip
    folder.mkdir()
    with open_log(None, folder) as log:
        publish(log, [both, started])
        assert discover_modes(home, log).asked == 1
        (split,) = (event for event in taxonomy(log) if isinstance(event, SplitProposed))
        known = told(log).taxonomy
        assert [known.modes[part].part_of for part in split.part_ids] == ["both", "both"]
        assert {key for part in split.part_ids for key in known.modes[part].member_keys} == set(keys)
        assert [known.successor(part) for part in split.part_ids] == [None, None]
        publish(log, [accept(known, split.proposal_id, Word("ann", NOON))])
        known = told(log).taxonomy
        assert [known.successor(mode) for mode in ("both", *split.part_ids)] == [None, *split.part_ids]
        publish(log, [started.model_copy(update={"id": "again", "discovery_id": "again"})])
        assert discover_modes(home, log).asked == 0
