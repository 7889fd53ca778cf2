"""Metrics as the YAML files say them: ours, and the home's own."""

import os
from pathlib import Path

from transforms.experiments.metrics import metrics, table


def model(dbt, session):
    """Read the files."""
    dbt.config(materialized="table")
    home = os.environ.get("FLYWHEEL_BUILD_HOME")
    return table(metrics(Path(home) if home else None)).to_arrow()
