"""Phoenix annotations."""

import json
from typing import Any

ROW: dict[str, Any] = {
    "id": "A1",
    "span_id": "s1",
    "name": "user_feedback",
    "annotator_kind": "HUMAN",
    "result": {"label": "thumbs_down", "score": 0, "explanation": "ignored my instruction"},
    "identifier": "u1",
    "source": "API",
    "created_at": "2026-11-02T23:59:59Z",
    "updated_at": "2026-11-02T23:59:59Z",
}


def test_an_annotation_is_a_thumb_and_its_explanation_on_the_span(events_of: Any) -> None:
    served, thumb, comment = events_of("phoenix", ROW)
    assert (served.response_id, served.span_id) == ("s1", "s1")
    assert (thumb.thumb, thumb.author.id, thumb.target.kind) == ("down", "u1", "span")
    assert comment.text == "ignored my instruction"


def test_cases_6_and_7_every_rater_of_a_span_is_kept(place: Any) -> None:
    other = {**ROW, "id": "A2", "identifier": "u2", "result": {"label": "thumbs_up", "score": 1, "explanation": None}}
    changed = {**ROW, "result": {"label": "thumbs_up", "score": 1}, "updated_at": "2026-11-03T10:00:00Z"}
    account = place.rows("phoenix", [ROW, other, changed])
    assert (account.accepted, account.events_quarantined) == (3, 0)
    feedback = place.events("feedback")
    votes = [(event.author.id, event.thumb) for event in feedback if hasattr(event, "thumb")]
    assert sorted(votes) == [("u1", "down"), ("u1", "up"), ("u2", "up")]
    assert [(event.author.id, event.text) for event in feedback if hasattr(event, "text")] == [
        ("u1", "ignored my instruction")
    ]
    assert len(place.events("responses")) == 1


def test_scores_of_models_and_programs(events_of: Any) -> None:
    model = {**ROW, "name": "hallucination", "annotator_kind": "LLM", "result": {"label": "factual", "score": 0.0}}
    _, score = events_of("phoenix", model)
    assert (score.author.kind, score.value, score.label, score.data_type) == ("llm", 0.0, "factual", "numeric")
    _, score = events_of("phoenix", {**model, "annotator_kind": "CODE", "identifier": "", "result": {"label": "bad"}})
    assert (score.author.kind, score.author.id, score.data_type, score.label) == ("code", None, "categorical", "bad")
    _, score = events_of("phoenix", {**model, "result": {}})
    assert score.status == "skipped"


def test_an_explanation_alone_is_a_comment(events_of: Any) -> None:
    _, comment = events_of("phoenix", {**ROW, "result": {"explanation": "hm"}})
    assert comment.text == "hm"


def test_the_document_of_the_api_and_json_lines_give_the_same(place: Any) -> None:
    document = place.files / "annotations.json"
    document.write_text(json.dumps({"data": [ROW], "next_cursor": None}, indent=1))
    assert place.run("phoenix", document).accepted == 1
    assert place.rows("phoenix", [ROW]).duplicate == 1
