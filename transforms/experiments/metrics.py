"""Metrics as data: one YAML file each, its stem the name. Ours are in `transforms/metrics`, a home's in `metrics/`.

A metric is a sum of what is observed (its numerator) over another (its denominator) or over units. Left out: counting,
which the marts do.
"""

import hashlib
from pathlib import Path
from typing import Literal, Self

import polars as pl
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from models.errors import TerminalError
from models.metrics import metric_key

OURS = Path(__file__).parents[1] / "metrics"

VALUES: dict[str, tuple[str, ...]] = {
    "answers": (
        "one",
        "latency_ms",
        "cost_usd",
        "has_cost",
        "thumbs",
        "thumbs_up",
        "thumbs_down",
        "complaints",
        "evaluations",
        "evaluation",
    ),
    "observed": ("one", "value"),
}
"""What can be observed, and what of it can be counted. What is said of an answer counts where the answer does: thumbs
by their weight, evaluators' scores as shares of their scale, complaints once a failure mode of theirs is known."""


class Feed(BaseModel):
    """What is added up."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    of: Literal["answers", "observed"]
    value: str = "one"
    name: str | None = None
    """Of `observed`: the metric's name in `experiment.metric_observed`, in any spelling."""

    @model_validator(mode="after")
    def _known(self) -> Self:
        if self.value not in VALUES[self.of]:
            raise ValueError(f"of {self.of} there is no {self.value!r}; there are {', '.join(VALUES[self.of])}")
        if (self.name is None) == (self.of == "observed"):
            raise ValueError("'name' says which observed metric is meant, and is for `of: observed` alone")
        return self


class Metric(BaseModel):
    """One metric."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    description: str
    kind: Literal["mean", "proportion", "ratio", "retention", "quantile"]
    direction: Literal["higher", "lower"]
    """Which is better."""
    unit: str
    owner: str
    numerator: Feed
    denominator: Feed | None = None
    margin: float | None = Field(default=None, gt=0)
    """As a guardrail: how much worse it may get, as a share of the control's."""
    window_days: int | None = Field(default=None, gt=0)
    """Days from a unit's first exposure in which it counts. None: until the end."""
    cap: float | None = Field(default=None, gt=0)
    """Winsorising: a unit's sum counts as this at most."""
    quantile: float | None = Field(default=None, gt=0, lt=1)
    from_day: int | None = Field(default=None, ge=1)
    """Of a retention: first day after that of the exposure on which the unit is looked for."""
    to_day: int | None = Field(default=None, ge=1)
    """Of a retention: the last such day."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        for kind, fields in {
            "ratio": ("denominator",),
            "quantile": ("quantile",),
            "retention": ("from_day", "to_day"),
        }.items():
            for name in fields:
                if (getattr(self, name) is None) == (self.kind == kind):
                    verb = "needs" if self.kind == kind else "has no"
                    raise ValueError(f"a {self.kind} {verb} {name!r}")
        if self.kind == "retention" and (self.from_day or 0) > (self.to_day or 0):
            raise ValueError(f"'from_day' {self.from_day} comes after 'to_day' {self.to_day}")
        if self.kind == "proportion" and self.window_days is None:
            raise ValueError("a proportion needs 'window_days': each unit counts once, when they are over")
        if self.cap is not None and self.kind != "mean":
            raise ValueError(f"'cap' is for a mean, not for a {self.kind}")
        return self


SCHEMA = pl.Schema(
    {
        "metric": pl.String,
        "title": pl.String,
        "description": pl.String,
        "kind": pl.String,
        "direction": pl.String,
        "unit_label": pl.String,
        "owner": pl.String,
        "is_guardrail": pl.Boolean,
        "margin": pl.Float64,
        "window_days": pl.Int64,
        "winsorise": pl.Float64,
        "quantile": pl.Float64,
        "from_day": pl.Int64,
        "to_day": pl.Int64,
        "numerator_of": pl.String,
        "numerator_value": pl.String,
        "numerator_name": pl.String,
        "denominator_of": pl.String,
        "denominator_value": pl.String,
        "denominator_name": pl.String,
    }
)


def metrics(home: Path | None) -> dict[str, Metric]:
    """All metrics by name; a home's own stand in for ours of the same name. Raises TerminalError for a bad file."""
    found: dict[str, Metric] = {}
    for folder in (OURS, home / "metrics" if home else None):
        for file in sorted(folder.glob("*.yml")) if folder and folder.is_dir() else []:
            found[file.stem] = _metric(file)
    return found


def _metric(file: Path) -> Metric:
    try:
        return Metric.model_validate(yaml.safe_load(file.read_text()))
    except (yaml.YAMLError, OSError, ValidationError) as error:
        said = (
            "; ".join(
                f"{'.'.join(map(str, each['loc'])) or 'metric'}: {each['msg'].removeprefix('Value error, ')}"
                for each in error.errors()
            )
            if isinstance(error, ValidationError)
            else " ".join(str(error).split())
        )
        raise TerminalError(f"{file} is no metric: {said}. {OURS} has examples.") from error


def own_digest(home: Path) -> str:
    """What names the state of a home's own metrics: empty where it has none."""
    files = sorted((home / "metrics").glob("*.yml"))
    said = hashlib.sha256(b"".join(file.name.encode() + b"\0" + file.read_bytes() + b"\0" for file in files))
    return said.hexdigest()[:16] if files else ""


def table(found: dict[str, Metric]) -> pl.DataFrame:
    """One row per metric (SCHEMA)."""
    return pl.DataFrame([_row(name, metric) for name, metric in found.items()], schema=SCHEMA)


def _row(name: str, metric: Metric) -> dict[str, object]:
    over = metric.denominator
    return {
        "metric": name,
        "title": metric.title,
        "description": metric.description,
        "kind": metric.kind,
        "direction": metric.direction,
        "unit_label": metric.unit,
        "owner": metric.owner,
        "is_guardrail": metric.margin is not None,
        "margin": metric.margin,
        "window_days": metric.window_days,
        "winsorise": metric.cap,
        "quantile": metric.quantile,
        "from_day": metric.from_day,
        "to_day": metric.to_day,
        "numerator_of": metric.numerator.of,
        "numerator_value": metric.numerator.value,
        "numerator_name": metric_key(metric.numerator.name) if metric.numerator.name else None,
        "denominator_of": over.of if over else None,
        "denominator_value": over.value if over else None,
        "denominator_name": metric_key(over.name) if over and over.name else None,
    }
