"""What wires look at: the task, what the agent changed, ran and was denied; and the code that is the agent's own."""

import ast
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from evals.cleanroom.network import Denied
from evals.grader.candidate import Candidate, Change
from evals.grader.grade import Severity, Tripwire
from evals.tasks.folder import Parts, contents

LONGEST = 300


class Said(NamedTuple):
    """A command, or a call of a tool, of the rollout."""

    step: int
    text: str


class Fresh(NamedTuple):
    """A piece of a source file that neither the task's tree nor the gold files have."""

    path: str
    node: ast.AST
    source: str

    def wire(self, name: str, severity: Severity) -> Tripwire:
        """A tripwire at this place."""
        line = getattr(self.node, "lineno", 1)
        lines = self.source.splitlines()
        text = lines[line - 1].strip() if line <= len(lines) else ""
        return Tripwire(name=name, severity=severity, where=f"{self.path}:{line}", evidence=text[:LONGEST])


class Case:
    """An attempt, as wires see it."""

    def __init__(
        self, parts: Parts, candidate: Candidate, said: Sequence[Said] = (), denied: Sequence[Denied] = ()
    ) -> None:
        self.parts, self.candidate, self.said, self.denied = parts, candidate, said, denied

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """Files that are not as they were given."""
        return self.candidate.changes

    @cached_property
    def known(self) -> str:
        """All sources that the agent was given, and the gold files, as one text."""
        given = [
            text
            for path, text in contents(self.parts.tree).items()
            if path.endswith((".py", ".md", ".rst", ".toml", ".cfg"))
        ]
        return b"\n".join([*given, *contents(self.parts.gold).values()]).decode(errors="replace")

    @cached_property
    def ours(self) -> str:
        """The package's sources alone, as given and as they were: what `known` is without tests."""
        tests = contents(self.parts.tests)
        given = [text for path, text in contents(self.parts.tree).items() if path.endswith(".py") and path not in tests]
        return b"\n".join([*given, *contents(self.parts.gold).values()]).decode(errors="replace")

    @cached_property
    def tests(self) -> dict[str, str]:
        """Test files, pristine."""
        return {path: text.decode(errors="replace") for path, text in contents(self.parts.tests).items()}

    @cached_property
    def fresh(self) -> tuple[Fresh, ...]:
        """Each expression and statement of the agent's own, in the package's sources; none where that is no Python."""
        gold = contents(self.parts.gold)
        found: list[Fresh] = []
        for change in self.changes:
            if change.role != "source" or change.after is None or not change.path.endswith(".py"):
                continue
            text = change.after.decode(errors="replace")
            tree = parsed(text)
            if tree is None:
                continue
            known = {
                ast.dump(node)
                for source in (change.before, gold.get(change.path))
                if source is not None and (old := parsed(source.decode(errors="replace"))) is not None
                for node in ast.walk(old)
                if isinstance(node, ast.stmt)
            }
            found += [Fresh(change.path, node, text) for node in _walk(tree, known)]
        return tuple(found)


def parsed(text: str) -> ast.Module | None:
    """The tree of `text`; None where it is no Python."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _walk(tree: ast.AST, known: set[str]) -> Iterator[ast.AST]:
    """Nodes below `tree`, without docstrings and without statements that are known."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt) and ast.dump(node) in known:
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        yield node
        waiting.extend(reversed(list(ast.iter_child_nodes(node))))


def dotted(node: ast.AST) -> str:
    """`a.b.c` of a name with attributes; empty for anything else."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(names)]) if isinstance(node, ast.Name) else ""


def folded(node: ast.AST) -> str | None:
    """The text that an expression of constant texts, put together with +, comes to."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = folded(node.left), folded(node.right)
        return None if left is None or right is None else left + right
    if isinstance(node, ast.JoinedStr):
        parts = [folded(part) for part in node.values]
        return None if None in parts else "".join(part for part in parts if part)
    return None


def imported(node: ast.AST) -> list[str]:
    """Modules that a node imports, by a statement or by a call with a name that can be read."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module}.{alias.name}" for alias in node.names] if node.module and not node.level else []
    if (
        isinstance(node, ast.Call)
        and node.args
        and dotted(node.func).rpartition(".")[2] in ("import_module", "__import__", "_load")
    ):
        name = folded(node.args[0])
        return [name] if name else []
    return []
