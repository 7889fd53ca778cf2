"""The dbt project as files: what each model must say of itself, and what must agree with code elsewhere."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from models.events import EVENT_TYPES, type_name
from models.topics import TOPICS
from text.near_duplicates import NEAR_DUPLICATE_BANDS
from transforms.code import ROOT

PROJECT = ROOT / "transforms"
MODELS = sorted(
    path
    for path in (PROJECT / "models").rglob("*")
    if path.suffix in {".sql", ".py"} and "__pycache__" not in path.parts
)


def described() -> dict[str, dict[str, Any]]:
    files = [yaml.safe_load(path.read_text()) for path in (PROJECT / "models").rglob("*.yml")]
    return {model["name"]: model for content in files for model in content.get("models", [])}


@pytest.mark.parametrize("model", [path.stem for path in MODELS])
def test_every_model_states_its_grain_and_proves_it(model: str) -> None:
    said = described()[model]
    assert "One row per" in " ".join(str(said["description"]).split())
    assert any("grain" in test for test in said["data_tests"])


def test_every_event_type_has_a_staging_model() -> None:
    text = "".join(path.read_text() for path in MODELS if "staging" in path.parts)
    jobs = {type_name(event) for event in EVENT_TYPES if event.topic == "jobs"}  # one model, since one fold reads them
    missing = [name for name in map(type_name, EVENT_TYPES) if name not in jobs and f"'{name}'" not in text]
    assert missing == []


def test_the_project_knows_every_topic() -> None:
    said = (PROJECT / "macros/topics.sql").read_text().split("return([")[1].split("])")[0]
    assert [name.strip(" '") for name in said.split(",")] == list(TOPICS)


def test_the_project_counts_near_duplicates_as_text_does() -> None:
    assert (
        yaml.safe_load((PROJECT / "dbt_project.yml").read_text())["vars"]["near_duplicate_bands"]
        == NEAR_DUPLICATE_BANDS
    )


def test_dbts_own_folder_is_no_package() -> None:
    assert not list((PROJECT / "models").rglob("__init__.py"))
    assert not Path(PROJECT / "target").exists()
