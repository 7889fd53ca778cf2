"""The seeds with their vectors, embedded once for all tests of the taxonomy."""

import csv
import os

import pytest

from tests.transforms.taxonomy.seeded import FOLDER, Seeds
from text.embedding import load_embedder
from text.normal_form import normal_form


@pytest.fixture(scope="session")
def seeds() -> Seeds:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with (FOLDER / "mode_examples.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    texts = [row["text"] for row in rows]
    return Seeds(texts, [row["mode_id"] for row in rows], load_embedder().embed([normal_form(t) for t in texts]))
