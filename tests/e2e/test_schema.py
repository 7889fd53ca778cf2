"""`flywheel events schema`: what the loop itself wrote validates against the schemas that producers are given."""

import json
from pathlib import Path
from typing import Any

import jsonschema  # pyright: ignore[reportMissingTypeStubs]
import pytest

from models.events import EVENT_TYPES, type_name
from models.topics import TOPICS
from tests.e2e.command import flywheel
from tests.e2e.marts import rows

Schemas = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def schemas(tmp_path_factory: pytest.TempPathFactory) -> Schemas:
    """Event type -> its schema, as written by the command."""
    folder = tmp_path_factory.mktemp("schemas")
    flywheel("events", "schema", "--out", folder)
    return {file.stem: json.loads(file.read_text()) for file in folder.glob("*.json")}


def test_there_is_a_valid_schema_of_every_event(schemas: Schemas):
    assert schemas.keys() == set(map(type_name, EVENT_TYPES))
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_events_as_they_are_dumped_validate(schemas: Schemas, demo_home: Path, data_home: Path):
    validated: set[str] = set()
    for home in (demo_home, data_home):
        for topic in TOPICS:
            for type_, event in rows(
                home,
                f'select type, canonical from raw."{topic}" where error is null'
                " qualify row_number() over (partition by type order by log_partition, log_offset) <= 20",
            ):
                validator(schemas[type_]).validate(json.loads(event))
                validated.add(type_)
    said_by_people = {"response.served", "feedback.thumb_given", "feedback.comment_left", "feedback.score_given"}
    assert said_by_people <= {type_.rpartition(".")[0] for type_ in validated}


@pytest.mark.parametrize(
    ("type_", "field", "value"),
    [
        ("feedback.thumb_given.v2", "thumb", "sideways"),
        ("feedback.comment_left.v1", "text", None),
        ("feedback.score_given.v1", "data_type", "colour"),
        ("response.served.v1", "response_id", ""),
    ],
)
def test_what_is_no_event_does_not_validate(schemas: Schemas, demo_home: Path, type_: str, field: str, value: object):
    topic = "responses" if type_.startswith("response") else "feedback"
    found = rows(demo_home, f"select canonical from raw.{topic} where error is null and type = '{type_}' limit 1")
    event: dict[str, Any] = json.loads(found[0][0])
    assert validator(schemas[type_]).is_valid(event)
    event["data"][field] = value
    assert not validator(schemas[type_]).is_valid(event)


def validator(schema: dict[str, Any]) -> Any:
    """Of the newest draft, as the schemas say of themselves."""
    return jsonschema.Draft202012Validator(schema)
