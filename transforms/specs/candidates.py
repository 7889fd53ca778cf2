"""What the marts ask for now: a candidate for each ready row of the `sync_*_specs` marts."""

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import polars as pl

from ingest.home import Home
from ingest.reader import Ask, reading
from models.specs import EvalSpec, Guard, JudgingSpec, ScorerSpec, Spec, TrainingSpec
from transforms.specs.sets import SCHEMA, freeze


class Candidate(NamedTuple):
    """A spec that could be issued, and the bytes of its frozen set."""

    spec: Spec
    content: bytes


class Wishes(NamedTuple):
    """What one build asks for."""

    candidates: list[Candidate]
    """Evals first, so that training is judged by evals that exist. None is without samples."""
    issued: frozenset[str]
    """Ids of the specs that the build knows to be issued: their evidence has fixed the sides."""


More = Callable[[Ask, str], Sequence[Candidate]]
"""What else a build asks for, made elsewhere: from questions to it, and the digest of its taxonomy."""

Row = dict[str, Any]


def none(ask: Ask, taxonomy: str) -> Sequence[Candidate]:
    """Nothing else."""
    del ask, taxonomy
    return []


def wishes(home: Home, more: More = none) -> Wishes:
    """Every ready spec of the published build, marts and samples of one generation. Raises as `reading` does."""
    with reading(home) as ask:
        evals = _evals(ask)
        found = [each for each in (*evals, *more(ask, _taxonomy(ask)), *_others(ask)) if each.spec.data.rows]
        issued = ask("select spec_id from base_specs where error is null").rows
    return Wishes(found, frozenset(str(spec_id) for (spec_id,) in issued))


def _taxonomy(ask: Ask) -> str:
    found = _rows(ask, "select coalesce(max(taxonomy_digest), 'none') as digest from int_text_assignments")
    return str(found[0]["digest"])


def _evals(ask: Ask) -> list[Candidate]:
    taxonomy = _taxonomy(ask)
    return [
        _candidate(ask, EvalSpec, row, taxonomy, "sync_eval_specs", role=row["role"], scorer=_scorer(row))
        for row in _rows(ask, "select * from sync_eval_specs where ready order by spec_key")
    ]


def _others(ask: Ask) -> list[Candidate]:
    taxonomy = _taxonomy(ask)
    found = [
        _candidate(
            ask, TrainingSpec, row, taxonomy, "sync_training_specs",
            method=row["method"], role=row["role"], args=_json(row["args"]), budget_s=row["budget_s"],
            must_improve=tuple(_json(row["must_improve"])),
            must_not_fall=tuple(Guard.model_validate(guard) for guard in _json(row["must_not_fall"])),
        )
        for row in _rows(ask, "select * from sync_training_specs where ready order by spec_key")
    ]  # fmt: skip
    found += [
        _candidate(
            ask, JudgingSpec, row, taxonomy, "sync_judging_specs",
            checkpoint_id=row["checkpoint_id"], metric=row["metric"],
        )
        for row in _rows(ask, "select * from sync_judging_specs where ready order by spec_key")
    ]  # fmt: skip
    return found


def _candidate(ask: Ask, kind: type[Spec], row: Row, taxonomy: str, query: str, **fields: Any) -> Candidate:
    samples = _samples(ask, str(row["spec_key"]))
    data, content = freeze(samples)
    spec = kind(
        key=row["spec_key"],
        mode_id=row.get("mode_id"),
        evidence=tuple(sorted(samples["sample_id"].to_list())),
        data=data,
        query=query,
        taxonomy=taxonomy,
        **fields,
    )
    return Candidate(spec, content)


def _samples(ask: Ask, key: str) -> pl.DataFrame:
    columns = ", ".join(SCHEMA.names())
    found = ask(f"select {columns} from sync_spec_samples where spec_key = ? order by sample_id", [key])
    return pl.DataFrame(found.rows, schema=SCHEMA, orient="row")


def _rows(ask: Ask, statement: str) -> list[Row]:
    found = ask(statement)
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def _scorer(row: Row) -> ScorerSpec:
    return ScorerSpec(name=row["scorer"], args=_json(row["scorer_args"]))


def _json(text: object) -> Any:
    return json.loads(str(text))
