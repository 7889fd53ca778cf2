import json

import pytest

from environments.world import Offer
from evals.policies.spoken import calls_in, told, written
from models.events.rollout import ToolCall


@pytest.mark.parametrize(
    ("text", "rest", "calls"),
    [
        ("Hello.", "Hello.", []),
        ('Look: <tool_call>{"name": "a", "arguments": {"x": 1}}</tool_call>', "Look:", [("a", '{"x": 1}')]),
        ('<tool_call>\n{"name": "a"}\n</tool_call><tool_call>{"name": "b"}', None, [("a", "{}"), ("b", "{}")]),
        ('<tool_call>{"name": "a", "arguments": {"x": </tool_call>', None, [("a", '{"name": "a", "arguments": {"x":')]),
        ("<tool_call>[1]</tool_call>", "<tool_call>[1]</tool_call>", []),
        ('<tool_call>{"name": 7}</tool_call>', '<tool_call>{"name": 7}</tool_call>', []),
        ("<tool_call>nonsense</tool_call>", "<tool_call>nonsense</tool_call>", []),
    ],
    ids=range(7),
)
def test_calls_in_text(text: str, rest: str | None, calls: list[tuple[str, str]]) -> None:
    words, found = calls_in(text, 3)
    assert (words, [(call.tool, call.arguments) for call in found]) == (rest, calls)
    assert [call.call_id for call in found] == [f"call-3-{place}" for place in range(len(calls))]


@pytest.mark.parametrize("arguments", ['{"x": "<b>"}', "{broken", ""])
def test_a_call_is_written_as_it_is_read(arguments: str) -> None:
    (found,) = calls_in(written(ToolCall(tool="a", arguments=arguments)), 0)[1]
    assert found.tool == "a"
    assert arguments == "{broken" or json.loads(found.arguments) == json.loads(arguments or "{}")


def test_a_model_is_told_the_form_and_the_tools() -> None:
    said = told([Offer("read", "Read a file.", {"type": "object"})])
    assert '<tool_call>{"name": "NAME", "arguments": {}}</tool_call>' in said
    assert '{"name": "read", "description": "Read a file.", "parameters": {"type": "object"}}' in said
