"""From the steps of a rollout to the tokens that a model goes on from: by its own chat template, or a plain one."""

import json
from collections.abc import Sequence
from typing import Any

from environments.world import Offer
from evals.policies.spoken import told, written
from models.errors import TerminalError
from models.events.rollout import Step, ToolCall


class Conversation:
    """How one tokenizer writes conversations down. `system` is put before each, where there is one."""

    def __init__(self, tokenizer: Any, system: str | None) -> None:
        self._tokenizer, self._system = tokenizer, system
        template: str | None = tokenizer.chat_template if isinstance(tokenizer.chat_template, str) else None
        self._has_template = tokenizer.chat_template is not None
        self._knows_tools = template is None or "tools" in template

    def tokens(self, steps: Sequence[Step], tools: Sequence[Offer]) -> list[int]:
        """The tokens up to where the assistant is to speak. Raises TerminalError where the template refuses."""
        if not self._has_template:
            ids: list[int] = self._tokenizer(self._plainly(steps, tools))["input_ids"]
            return ids
        native = bool(tools) and self._knows_tools
        system = [part for part in (self._system, told(tools) if tools and not native else None) if part]
        messages = [*({"role": "system", "content": "\n\n".join(system)} for _ in system[:1])]
        messages += [_message(step, native=native) for step in steps]
        try:
            text: str = self._tokenizer.apply_chat_template(
                messages, tools=[_function(tool) for tool in tools] if native else None, tokenize=False,
                add_generation_prompt=True,
            )  # fmt: skip
        except Exception as error:  # a template is a program of whoever made the checkpoint
            raise TerminalError(f"the chat template refuses the conversation: {error}") from error
        found: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return found

    def _plainly(self, steps: Sequence[Step], tools: Sequence[Offer]) -> str:
        parts = [part for part in (self._system, told(tools) if tools else None) if part]
        lines = [f"system: {part}" for part in parts]
        lines += [f"{step.role}: {_words(step)}" for step in steps]
        return "\n".join([*lines, "assistant:"])


def _words(step: Step) -> str:
    return "\n".join([*([step.text] if step.text else []), *(written(call) for call in step.calls)])


def _message(step: Step, *, native: bool) -> dict[str, Any]:
    if not native:
        return {"role": step.role, "content": _words(step)}
    if step.role == "tool":
        return {"role": "tool", "name": step.tool or "", "tool_call_id": step.call_id or "", "content": step.text or ""}
    message: dict[str, Any] = {"role": step.role, "content": step.text or ""}
    if step.calls:
        message["tool_calls"] = [
            {"type": "function", "id": call.call_id, "function": {"name": call.tool, "arguments": _arguments(call)}}
            for call in step.calls
        ]
    return message


def _arguments(call: ToolCall) -> Any:
    """As templates want them: an object, where it is one."""
    try:
        return json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return call.arguments


def _function(tool: Offer) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
    }
