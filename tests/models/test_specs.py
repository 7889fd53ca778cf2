"""A spec's id is the hash of its content: what is only said does not change it."""

from models.specs import DataRef, EvalSpec, ScorerSpec


def spec(**changes: object) -> EvalSpec:
    fields: dict[str, object] = {
        "key": "eval:all:judge",
        "evidence": ("e1", "e2"),
        "data": DataRef(sha256="a" * 64, rows=2),
        "query": "sync_eval_specs",
        "taxonomy": "t1",
        "role": "judge",
        "scorer": ScorerSpec(name="negative_feedback", args={}),
    }
    return EvalSpec.model_validate(fields | changes)


def test_equal_content_has_the_equal_id_whatever_the_taxonomy_was():
    assert spec().spec_id() == spec(taxonomy="t2").spec_id()
    assert spec().spec_id().startswith("eval-")


def test_other_evidence_or_arguments_are_another_spec():
    ids = {
        spec().spec_id(),
        spec(evidence=("e1",)).spec_id(),
        spec(scorer=ScorerSpec(name="negative_feedback", args={"threshold": 0.4})).spec_id(),
        spec(data=DataRef(sha256="b" * 64, rows=2)).spec_id(),
    }
    assert len(ids) == 4
