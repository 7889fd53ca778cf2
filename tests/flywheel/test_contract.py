"""`make check` on the contract: recorded, or one line a break with the way out."""

import json
from pathlib import Path

import pytest

from flywheel import contract
from models.asyncapi import document
from models.errors import TerminalError
from models.events import EVENT_TYPES
from models.events.thumb import ThumbGiven
from tests.models.mutated import GONE, mutated


def test_the_committed_document_is_what_the_models_say():
    assert contract.RECORD.read_text() == contract.text(document()), "run `make contract` and commit docs/asyncapi.json"


def test_a_broken_event_fails_with_its_name_its_field_and_the_way_out():
    others = [event for event in EVENT_TYPES if event is not ThumbGiven]
    broken = document([*others, mutated(ThumbGiven, sequence=GONE)])
    with pytest.raises(TerminalError, match=r"(?s)feedback\.thumb_given\.v2: field sequence: .*upcast\.py"):
        contract.check(contract.RECORD.read_text(), broken)


def test_the_record_only_ever_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    record = tmp_path / "asyncapi.json"
    monkeypatch.setattr(contract, "RECORD", record)
    with pytest.raises(TerminalError, match="make contract"):
        contract.main(record=False)
    contract.main(record=True)
    contract.main(record=False)

    less = json.loads(record.read_text())
    less["components"]["schemas"]["ThumbGiven"]["properties"].pop("sequence")
    record.write_text(contract.text(less))
    with pytest.raises(TerminalError, match="nothing is broken: run `make contract`"):
        contract.main(record=False)

    more = json.loads(record.read_text())
    more["components"]["schemas"]["ThumbGiven"]["properties"]["mood"] = {"type": "string"}
    record.write_text(contract.text(more))
    for recording in (False, True):
        with pytest.raises(TerminalError, match="field mood: it is gone"):
            contract.main(record=recording)
