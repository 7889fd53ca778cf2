"""The samples of `benchmarks.evals_harness` in Inspect: run in an environment of its own, which has only Inspect.

python evals_harness_inspect.py ANSWERS LOGS SETTINGS TOLD WORDS
"""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

inspect_ai: Any = import_module("inspect_ai")
dataset: Any = import_module("inspect_ai.dataset")
models: Any = import_module("inspect_ai.model")
scorers: Any = import_module("inspect_ai.scorer")
solvers: Any = import_module("inspect_ai.solver")


def main() -> None:
    """Run it and write the metric."""
    asked, logs, settings, told, words = sys.argv[1:]
    given: list[dict[str, str]] = json.loads(Path(asked).read_text())
    by_prompt = {each["prompt"]: each["text"] for each in given}

    @scorers.scorer(metrics=[scorers.accuracy(), scorers.stderr()])
    def concise() -> Any:
        async def score(state: Any, target: Any) -> Any:
            found = len(state.output.completion.split())
            return scorers.Score(value=float(found <= int(words)), answer=f"{found} words", explanation=words)

        return score

    def answer(messages: Any, tools: Any, tool_choice: Any, config: Any) -> Any:
        output = models.ModelOutput.from_content("mockllm/model", by_prompt[messages[-1].text])
        output.usage = models.ModelUsage(input_tokens=30, output_tokens=40, total_tokens=70)
        return output

    task = inspect_ai.Task(
        dataset=[dataset.Sample(id=each["sample_id"], input=each["prompt"], target="") for each in given],
        solver=solvers.generate(),
        scorer=concise(),
    )
    model = models.get_model("mockllm/model", custom_outputs=answer)
    (log,) = inspect_ai.eval(task, model=model, log_dir=logs, display="none", **json.loads(settings))
    assert log.status == "success", log.error
    Path(told).write_text(json.dumps({"accuracy": log.results.scores[0].metrics["accuracy"].value}))


if __name__ == "__main__":
    main()
