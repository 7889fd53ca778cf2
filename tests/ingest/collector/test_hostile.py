"""A few hundred of the hostile payloads of `benchmarks.fuzz`, which sends 200,000."""

import json
from pathlib import Path

from benchmarks.fuzz import main


def test_hostile_payloads_are_accepted_or_refused_and_all_accounted_for(tmp_path: Path) -> None:
    figures = tmp_path / "fuzz.json"
    main(["--payloads", "400", "--seed", "3", "--json", str(figures)])
    found = json.loads(figures.read_text())
    assert found["payloads"] > 300
    assert found["accepted"] and found["refused"] and found["records"] >= found["accepted"]
    assert [found[name] for name in ("server_errors", "crashes", "unaccounted", "schema_mismatches")] == [0, 0, 0, 0]
