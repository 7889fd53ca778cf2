"""The document says what the application does, and its page loads nothing from elsewhere."""

import re
from typing import Any

import pytest
import yaml

from ingest.collector.flat import KINDS
from ingest.collector.openapi import PATHS


def test_every_path_is_served_and_described(client: Any) -> None:
    document = client.get("/schema/openapi.json").json()
    assert set(PATHS) - set(document["paths"]) == {"/schema", "/schema/openapi.json", "/schema/openapi.yaml"}
    for path, methods in document["paths"].items():
        for method in methods:
            answer = client.request(method.upper(), path)
            assert answer.status_code not in (404, 405, 500), path
            assert str(answer.status_code) in methods[method]["responses"], path
    assert yaml.safe_load(client.get("/schema/openapi.yaml").text) == document


def test_every_reference_leads_somewhere(client: Any) -> None:
    document = client.get("/schema/openapi.json").json()
    names = set(re.findall(r"#/components/schemas/(\w+)", str(document)))
    assert names <= set(document["components"]["schemas"])
    assert {kind.event.__name__ for kind in KINDS.values()} <= names


@pytest.mark.parametrize("path", ["/", "/schema"])
def test_the_page_needs_no_other_network(client: Any, path: str) -> None:
    page = client.get(path)
    assert page.headers["content-type"].startswith("text/html")
    assert not re.search(r"https?://|<script|@import", page.text)
    assert "/v1/thumbs" in page.text
