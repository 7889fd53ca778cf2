"""Whether a task folder holds what it says: asked of the folder alone, in rooms of their own.

Left out: mutants and trivial bodies, which generating has asked already.
"""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from evals.cleanroom import Limits
from evals.tasks.calls import agree
from evals.tasks.folder import contents, lay, read
from evals.tasks.generate.trials import Trials
from evals.tasks.instructions import missing, revealed

LIMITS = Limits()
PATIENCE = 4.0
"""Seconds of a call: more than it had when its outcome was first seen, since another machine may be slower."""


def proof(
    folder: Path, tools: Path, *, seeds: Sequence[int] = (11,), whole_suite: bool = False, test_seconds: float = 60.0
) -> list[str]:
    """What is wrong with the task in `folder`; empty where nothing is.

    The tree as given must fail each fail-to-pass test and pass the others; with the gold files all pass, and hidden
    cases give what is expected, once for each of `seeds` (hash seed and order). With `whole_suite` all other tests run
    as well, each for `test_seconds` at most: none may be broken by the gold files. Raises TerminalError for a folder
    that is no task.
    """
    parts = read(folder)
    task = parts.task
    gold = {path: content.decode() for path, content in contents(parts.gold).items()}
    wrong = [f"nothing says {each}" for each in missing(folder)] + [f"shown: {each}" for each in revealed(folder)]
    with TemporaryDirectory(prefix="flywheel-proof-") as made:
        tree = Path(made) / "tree"
        lay(contents(parts.tree) | contents(parts.tests), tree)
        roots = (".", "src") if (tree / "src").is_dir() else (".",)
        both = [*task.fail_to_pass, *task.pass_to_pass]
        for seed in seeds:
            trials = Trials(tree, tools, roots, seed, LIMITS)
            try:
                given = trials.tests({}, both, seconds=task.seconds, order=seed).passed()
                solved = trials.tests(gold, both, seconds=task.seconds, order=seed).passed()
                wrong += [f"{test} passes in the tree as given" for test in task.fail_to_pass if test in given]
                wrong += [f"{test} fails in the tree as given" for test in task.pass_to_pass if test not in given]
                wrong += [f"{test} fails with the gold files" for test in both if test not in solved]
                calls = [case.call for case in parts.hidden.cases]
                for case, gave in zip(parts.hidden.cases, trials.calls(gold, calls, limit=PATIENCE), strict=True):
                    if not agree(case.expected, gave):
                        wrong.append(f"{case.call.qualname} gives something else than expected with the gold files")
                if whole_suite and seed == seeds[0]:
                    before = trials.tests({}, None, seconds=3600, limit=test_seconds).passed()
                    after = trials.tests(gold, None, seconds=3600, limit=test_seconds).passed()
                    wrong += [f"{test} passes without the gold files alone" for test in sorted(before - after)]
            finally:
                trials.close()
    return wrong
