"""Run chosen tests with pytest in one process, and tell each result as a JSON line on the standard output that it
began with.

Asked on standard input: {nonce, path, files, tests, canaries}. Told: [nonce, what, ...], and at last `end` with what
of the runner is not what it was before a line of the candidate ran. All of this runs beside the candidate's code,
which may lie: what it says is checked from outside (`evals.grader.controls`).
"""

import json
import os
import random
import sys
from typing import Any, ClassVar

WATCHED = ("pytest", "_pytest", "pluggy", "unittest", "builtins", "importlib")


def pieces() -> dict[str, Any]:
    """Functions, and functions of classes, of the runner's modules, by name."""
    found: dict[str, Any] = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in WATCHED:
            for key, value in list(vars(module).items()):
                if isinstance(value, type):
                    for inner, part in list(vars(value).items()):
                        if callable(part) or isinstance(part, (classmethod, staticmethod, property)):
                            found[f"{name}.{key}.{inner}"] = part
                elif callable(value):
                    found[f"{name}.{key}"] = value
    return found


def changed(before: dict[str, Any]) -> list[str]:
    """Names whose piece is another than `before`, or new in a class that was there."""
    after = pieces()
    owners = {name.rpartition(".")[0] for name in before}
    names = [name for name, piece in before.items() if name in after and after[name] is not piece]
    names += [
        name for name in after if name not in before and name.rpartition(".")[0] in owners and name.count(".") > 1
    ]
    return sorted(name for name in names if not name.endswith(("__doc__", "__abstractmethods__")))


def main() -> None:
    """Read what is asked, run it, and tell."""
    asked = json.loads(sys.stdin.readline())
    out = os.fdopen(os.dup(1), "wb", 0)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    sys.path[:0] = asked["path"]
    sys.argv = ["pytest"]

    def tell(*said: Any) -> None:
        out.write(json.dumps([asked["nonce"], *said]).encode() + b"\n")

    import pytest  # noqa: PLC0415

    wanted, canaries = set(asked["tests"]), set(asked["canaries"])

    class Teller:
        before: ClassVar[dict[str, Any]] = {}
        plugins: ClassVar[set[str]] = set()

        def pytest_collection(self, session: Any) -> None:
            self.before.update(pieces())
            self.plugins.update(str(name) for name, _ in session.config.pluginmanager.list_name_plugin())

        @pytest.hookimpl(trylast=True)
        def pytest_collection_modifyitems(self, items: list[Any]) -> None:
            known = [item for item in items if item.nodeid in wanted]
            for item in items:
                if item.nodeid.partition("::")[0] in canaries:
                    known.insert(random.Random(asked["nonce"] + item.nodeid).randint(0, len(known)), item)
            items[:] = known

        def pytest_collectreport(self, report: Any) -> None:
            if report.failed:
                tell("broken", report.nodeid, str(report.longrepr)[-2000:])

        def pytest_runtest_logreport(self, report: Any) -> None:
            text = "" if report.passed else str(report.longrepr)[-1000:]
            outcome = "xfailed" if hasattr(report, "wasxfail") and not report.passed else report.outcome
            tell("test", report.nodeid, outcome, report.when, text, report.duration)

        def pytest_unconfigure(self, config: Any) -> None:
            # A conftest, or a plugin, is named by its path, or its module; what has neither was registered by hand.
            names = {str(name) for name, _ in config.pluginmanager.list_name_plugin()} - self.plugins
            added = [name for name in names if name.isdigit()]
            tell("end", changed(self.before), len(added))

    words = ["-q", "-p", "no:cacheprovider", "-o", "addopts=", "--rootdir", ".", "--continue-on-collection-errors"]
    pytest.main([*words, *asked["files"]], plugins=[Teller()])
    os._exit(0)


if __name__ == "__main__":
    main()
