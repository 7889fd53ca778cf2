"""Tools whose export is one row a piece of feedback: Helicone, Braintrust, PostHog, TensorZero, Weave, ChatGPT."""

from datetime import UTC, datetime
from typing import Any

import pytest

from ingest.importers.base import Refused, Unfit


def kinds(events: list[Any]) -> list[str]:
    return [type(event).__name__ for event in events]


def test_helicone_keeps_the_last_rating_of_a_request_and_null_takes_it_back(events_of: Any) -> None:
    rows = [
        {"helicone-id": "q1", "rating": rating, "created_at": f"2026-11-0{day}T00:00:00Z"}
        for day, rating in enumerate((False, True, None), 1)
    ]
    thumbs = [event for event in events_of("helicone", *rows) if hasattr(event, "thumb")]
    assert [event.thumb for event in thumbs] == ["down", "up", None]
    assert {event.native_id for event in thumbs} == {"q1"}
    assert len({event.id for event in thumbs}) == 3
    with pytest.raises(Refused, match="'maybe' is neither true, false nor null"):
        events_of("helicone", {"helicone-id": "q", "rating": "maybe"})


def test_case_7_two_people_on_one_row_of_braintrust_stay_two(events_of: Any) -> None:
    rows = [
        {"id": "r1", "scores": {"user_rating": value}, "comment": text, "metadata": {"user_id": user}, "source": "app"}
        for user, value, text in (("a", 1, "ok"), ("b", 0, "no"))
    ]
    scores = [event for event in events_of("braintrust", *rows) if hasattr(event, "value")]
    assert [(event.author.id, event.value, event.scale_max) for event in scores] == [("a", 1.0, 1.0), ("b", 0.0, 1.0)]
    comments = [event for event in events_of("braintrust", *rows) if hasattr(event, "text")]
    assert [(event.text, event.native_id) for event in comments] == [("ok", "r1/a"), ("no", "r1/b")]


def test_an_expected_answer_of_braintrust_is_a_correction(events_of: Any) -> None:
    *_, correction = events_of("braintrust", {"id": "r", "scores": {}, "expected": {"x": 1}, "source": "external"})
    assert (correction.data_type, correction.label) == ("correction", '{"x":1}')


def posthog(event: str, **properties: Any) -> dict[str, Any]:
    return {
        "event": event,
        "distinct_id": "u1",
        "timestamp": "2026-11-03T00:00:05Z",
        "uuid": "x",
        "properties": properties,
    }


def test_posthog_tells_verdicts_words_and_surveys_apart(events_of: Any) -> None:
    trace = {"$ai_trace_id": "t1", "$ai_session_id": "c1"}
    response, score = events_of(
        "posthog", posthog("$ai_metric", **trace, **{"$ai_metric_name": "quality", "$ai_metric_value": "bad"})
    )
    assert (response.trace_id, response.conversation_id) == ("t1", "c1")
    assert (score.metric, score.data_type, score.value, score.label) == ("quality", "boolean", 0.0, "bad")
    _, comment = events_of("posthog", posthog("$ai_feedback", **trace, **{"$ai_feedback_text": "did not run"}))
    assert comment.text == "did not run"
    survey = {"$survey_id": "s1", "$survey_response": "2", "$survey_response_1": "too slow"}
    _, number, text = events_of("posthog", posthog("survey sent", **trace, **survey))
    assert (number.metric, number.value, text.metric, text.text) == ("survey/s1", 2.0, "survey/s1/1", "too slow")
    assert events_of("posthog", posthog("$pageview")) == []
    with pytest.raises(Refused, match=r"names no \$ai_trace_id"):
        events_of("posthog", posthog("$ai_feedback", **{"$ai_feedback_text": "what?"}))


@pytest.mark.parametrize(
    ("metric", "value", "expected"),
    [
        ("task_success", False, ("boolean", 0.0, None)),
        ("user_rating", 2.0, ("numeric", 2.0, None)),
        ("demonstration", "git revert HEAD", ("correction", None, "git revert HEAD")),
    ],
)
def test_tensorzeros_values_have_their_own_types(events_of: Any, metric: str, value: Any, expected: Any) -> None:
    _, score = events_of("tensorzero", {"metric_name": metric, "inference_id": "i", "value": value})
    assert (score.data_type, score.value, score.label) == expected


def test_tensorzeros_episode_is_a_conversation_and_its_comment_a_comment(events_of: Any) -> None:
    _, comment = events_of("tensorzero", {"metric_name": "comment", "episode_id": "e", "value": "broke"})
    assert (comment.target.kind, comment.target.id, comment.text) == ("conversation", "e", "broke")
    with pytest.raises(Refused, match="neither inference_id nor episode_id"):
        events_of("tensorzero", {"metric_name": "m", "value": 1})


def weave(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "f",
        "project_id": "e/p",
        "weave_ref": "weave:///e/p/call/c1",
        "feedback_type": kind,
        "payload": payload,
    }


def test_a_thumb_of_weave_is_one_whatever_its_skin_tone(events_of: Any) -> None:
    for payload in ({"emoji": "👎🏽", "detoned": "👎"}, {"emoji": "👎🏿"}, {"emoji": "👎"}):
        served, thumb = events_of("weave", weave("wandb.reaction.1", payload))
        assert (served.span_id, thumb.target.id, thumb.thumb, thumb.metric) == ("c1", "c1", "down", "thumb")
    _, party = events_of("weave", weave("wandb.reaction.1", {"emoji": "🎉"}))
    assert (party.data_type, party.label) == ("categorical", "🎉")
    _, note = events_of("weave", weave("wandb.note.1", {"note": "wrong branch"}))
    assert note.text == "wrong branch"
    with pytest.raises(Refused, match=r"is no call$"):
        events_of("weave", {**weave("wandb.note.1", {"note": "x"}), "weave_ref": "weave:///e/p/object/o:1"})


def test_chatgpts_two_generations_say_the_same(events_of: Any) -> None:
    first = {
        "message_id": "m1",
        "conversation_id": "c",
        "rating": "thumbsDown",
        "content": '{"tags": ["x", "y"], "text": "no"}',
    }
    second = {
        "id": "m2",
        "conversation_id": "c",
        "rating": "thumbs_up",
        "create_time": "2026-11-02T23:59:59Z",
        "content": "{}",
    }
    served, thumb, comment, tags, *rest = events_of("chatgpt", first, second)
    assert (served.message_id, thumb.thumb, comment.text, tags.text, tags.metric) == (
        "m1",
        "down",
        "no",
        "x, y",
        "reason",
    )
    assert (rest[1].target.id, rest[1].thumb) == ("m2", "up")
    assert rest[1].occurred_at == datetime(2026, 11, 2, 23, 59, 59, tzinfo=UTC)
    assert kinds(rest) == ["ResponseServed", "ThumbGiven"]


def test_a_content_of_chatgpt_that_is_no_json_is_the_comment(events_of: Any) -> None:
    *_, comment = events_of("chatgpt", {"id": "m", "rating": "thumbs_down", "content": '{"text": "cut'})
    assert comment.text == '{"text": "cut'


@pytest.mark.parametrize("form", ["helicone", "braintrust", "posthog", "tensorzero", "weave", "chatgpt", "openwebui"])
def test_a_row_of_another_tool_is_unfit(events_of: Any, form: str) -> None:
    with pytest.raises(Unfit, match=r"^not "):
        events_of(form, {"something": "else"})
