"""Sets and specs as `flywheel specs publish` would leave them."""

import hashlib
import io
from collections.abc import Sequence

import polars as pl

from ingest.home import Home
from ingest.jobs.samples import Sample
from ingest.log import EventLog, publish
from models.events.spec import EvalSpecIssued, JudgingSpecIssued, TrainingSpecIssued
from models.specs import Args, DataRef, EvalSpec, JudgingSpec, ScorerSpec, TrainingSpec

SCHEMA = {name: pl.Boolean if name == "is_negative" else pl.String for name in Sample._fields}


def kept(home: Home, samples: Sequence[Sample]) -> DataRef:
    """Write the set and return what a spec says of it."""
    content = io.BytesIO()
    pl.DataFrame([sample._asdict() for sample in samples], schema=SCHEMA).write_parquet(content)
    sha256 = hashlib.sha256(content.getvalue()).hexdigest()
    home.sets.mkdir(exist_ok=True)
    (home.sets / f"{sha256}.parquet").write_bytes(content.getvalue())
    return DataRef(sha256=sha256, rows=len(samples))


def eval_spec(data: DataRef, scorer: str, role: str, args: Args | None = None) -> EvalSpec:
    return EvalSpec.model_validate(
        {**common(f"eval:all:{role}", data), "role": role, "scorer": ScorerSpec(name=scorer, args=args or {})}
    )


def training_spec(data: DataRef, args: Args, method: str = "judge", budget_s: float = 600) -> TrainingSpec:
    return TrainingSpec.model_validate(
        {**common("train:all:judge", data), "role": "judge", "method": method, "args": args, "budget_s": budget_s}
    )


def judging_spec(data: DataRef, checkpoint_id: str) -> JudgingSpec:
    return JudgingSpec.model_validate(
        {**common(f"judge:{checkpoint_id}", data), "checkpoint_id": checkpoint_id, "metric": "judge/negative"}
    )


def common(key: str, data: DataRef) -> dict[str, object]:
    return {"key": key, "evidence": ("e1",), "data": data, "query": "a mart", "taxonomy": "none"}


def issue(log: EventLog, spec: EvalSpec | TrainingSpec | JudgingSpec) -> str:
    """Append the spec's event and return its id."""
    match spec:
        case EvalSpec():
            issued = EvalSpecIssued
        case TrainingSpec():
            issued = TrainingSpecIssued
        case JudgingSpec():
            issued = JudgingSpecIssued
    spec_id = spec.spec_id()
    fields = {"id": spec_id, "source": "test", "spec_id": spec_id, "spec_key": spec.key, "revision": 1, "spec": spec}
    publish(log, [issued.model_validate(fields)])
    return spec_id
