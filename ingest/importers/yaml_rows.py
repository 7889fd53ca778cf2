"""Rows out of YAML: a list of mappings, each scalar as the text that stands there, so that 5e21 stays a commit.

Left out: aliases. A few bytes of them can stand for gigabytes.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import yaml

from ingest.importers.base import Options, Row
from ingest.importers.source_file import opened
from models.errors import TerminalError
from models.events.base import Json

MAX_BYTES = 64 << 20


def read_yaml(path: Path, options: Options) -> Iterator[Row]:
    """The mappings of the list that the file is. Raises TerminalError for another shape."""
    with opened(path) as (content, raw):
        text = content.read(MAX_BYTES + 1)
        position = raw.tell()
    if len(text) > MAX_BYTES:
        raise TerminalError(f"{path} is over {MAX_BYTES >> 20} MiB of YAML: split it")
    try:
        written = text.decode("utf-8-sig")
        parsed = cast(Iterator[object], yaml.parse(written, Loader=yaml.CBaseLoader))  # type: ignore[reportUnknownMemberType]
        if any(isinstance(event, yaml.AliasEvent) for event in parsed):
            raise TerminalError(f"{path} has an alias (*name), which is not read: write out what it stands for")
        rows: Any = yaml.load(written, Loader=yaml.CBaseLoader)
    except UnicodeDecodeError as error:
        raise TerminalError(f"{path} is not UTF-8 (at byte {error.start:,}): save it as UTF-8") from error
    except (yaml.YAMLError, RecursionError) as error:
        raise TerminalError(f"{path} is no YAML that can be read: {' '.join(str(error).split())}") from error
    if not isinstance(rows, list):
        raise TerminalError(f"{path} is YAML, but no list of runs: is it another format?")
    for number, row in enumerate(cast(list[Any], rows), 1):
        if isinstance(row, dict):
            yield Row(number, json.dumps(row), cast(Json, row), None, position)
        else:
            yield Row(number, json.dumps(row), None, "not a mapping", position)
