"""One candidate, from the cut to a task folder, or a reason why not. Cheap questions come first.

Cut -> no copy left -> tests that fail by it -> hidden cases -> gold passes three times, the cut fails twice -> trivial
bodies fail -> mutants -> instructions -> the folder, proven.
"""

import difflib
import random
from collections.abc import Sequence

from evals.tasks import folder
from evals.tasks.calls import agree
from evals.tasks.generate.candidates import Candidate, keys
from evals.tasks.generate.cases import cases
from evals.tasks.generate.cut import bodies_of, cut_files
from evals.tasks.generate.mutants import mutants
from evals.tasks.generate.pieces import Piece
from evals.tasks.generate.proof import proof
from evals.tasks.generate.report import FLOOR, Dropped, Made
from evals.tasks.generate.shop import Shop
from evals.tasks.generate.trials import Trials
from evals.tasks.generate.trivial import is_seen_through, trivial
from evals.tasks.instructions import WORD, Promise, attributes, instructions, literals, shown
from evals.tasks.shingles import all_shingles, find
from evals.tasks.syntax import parse
from evals.tasks.task import Hidden, HiddenCase, Task, Unit, task_id

TESTS, SECONDS = 200, 6.0
"""Of a task: so many tests that call what is cut, or that take so long together; cheapest first."""
OTHERS, OTHERS_SECONDS = 150, 3.0
"""The same of tests that touch its files."""
MUTANTS = 8
FEWEST = 3
"""Hidden cases: with fewer, nothing stands between a task and who fits an answer to its tests."""
LONG_LITERAL = 60
MARGIN = 3.0
"""A wrong body may take so many times as long as the right one, and a second, before it counts as endless."""


def attempt(shop: Shop, candidate: Candidate, mine: int, chance: random.Random) -> Made:
    """Make a task of `candidate`, most of the work in `shop.trials[mine]`. Raises Dropped with the reason."""
    texts, pieces = shop.layout.texts, candidate.pieces
    files = cut_files(texts, pieces)
    bodies = _bodies(texts, pieces)
    left = {path: text for path, text in texts.items() if path not in files} | files
    if copies := find(all_shingles(bodies), left):
        raise Dropped(f"a copy is left in the tree: {copies[0].path}:{copies[0].line}")
    trials = [*shop.trials[mine:], *shop.trials[:mine]]
    failing, others = _tests(shop, candidate, files, trials[0])
    hidden = _known(cases(pieces, shop.seen, files, trials, chance), bodies, left)
    if len(hidden) < FEWEST:
        raise Dropped("too few calls tell it from the cut")
    both = [*failing, *others]
    limit = 1.0 + MARGIN * sum(shop.seen.took[test] for test in both)
    _gold(shop, trials, both, chance)
    failing, others = _stable(shop, failing), _stable(shop, others)
    again = trials[1].tests(files, failing, seconds=30 + limit, order=chance.randrange(2**31)).passed()
    failing = [test for test in failing if test not in again]
    if not failing:
        raise Dropped("its tests are unstable")
    every = [(piece.module, body) for piece in pieces for body in piece.bodies]
    for each in trivial():
        wrong = cut_files(texts, pieces, each.instead)
        if not is_seen_through(each, every, hidden) and not told_apart(trials[0], wrong, failing, hidden, limit):
            raise Dropped(f"a trivial body passes: {each.said}")
    tried = mutants(texts, pieces, MUTANTS, chance)
    killed = sum(told_apart(trials[0], each.files, failing, hidden, limit) for each in tried)
    if not tried:
        raise Dropped("nothing in it can be mutated")
    if killed < FLOOR * len(tried):
        raise Dropped("too few mutants are killed")
    parts = _parts(shop, candidate, files, failing, others, hidden, (killed, len(tried)), limit)
    made = folder.write(shop.out, parts)
    if wrong := proof(made, shop.tools, seeds=(chance.randrange(1, 2**31),)):
        folder.remove(made)
        raise Dropped(f"{_reason(wrong[0])}: {wrong[0]}")
    units = tuple(f"{each.module}:{each.qualname}" for each in pieces)
    return Made(
        task_id=parts.task.task_id, kind=candidate.kind, units=units,
        lines=candidate.difficulty.lines, estimate=candidate.difficulty.estimate, fail_to_pass=len(failing),
        pass_to_pass=len(others), hidden=len(hidden), mutants_killed=killed, mutants=len(tried),
    )  # fmt: skip


def _reason(wrong: str) -> str:
    for start, reason in (
        ("nothing says", "something that is needed is not said"),
        ("shown", "its docstring gives the body away"),
    ):
        if wrong.startswith(start):
            return reason
    return "the folder does not do what it says"


def _bodies(texts: dict[str, str], pieces: Sequence[Piece]) -> list[str]:
    return [
        "\n".join(texts[path].split("\n")[body.first - 1 : body.last])
        for path, bodies in bodies_of(pieces).items()
        for body in bodies
    ]


def _cheapest(tests: set[str], shop: Shop, most: int, seconds: float) -> list[str]:
    picked: list[str] = []
    for test in sorted(tests - shop.unstable, key=lambda each: (shop.seen.took[each], each)):
        seconds -= shop.seen.took[test]
        if len(picked) == most or (seconds < 0 and picked):
            break
        picked.append(test)
    return picked


def _tests(shop: Shop, candidate: Candidate, files: dict[str, str], trials: Trials) -> tuple[list[str], list[str]]:
    """Those that the cut fails, and those near it that it does not."""
    for path, text in files.items():
        try:
            parse(text)
        except SyntaxError as error:
            raise Dropped(f"the cut is no Python: {path}:{error.lineno}") from error
    wanted, paths = keys(candidate.pieces), set(files)
    calling = {test for test, touched in shop.seen.touched.items() if touched & wanted}
    beside = {test for test, touched in shop.seen.touched.items() if paths & {path for path, _ in touched}} - calling
    picked, near = _cheapest(calling, shop, TESTS, SECONDS), _cheapest(beside, shop, OTHERS, OTHERS_SECONDS)
    found = trials.tests(files, [*picked, *near], seconds=60, limit=5)
    if found.broken:
        raise Dropped(f"tests can't be collected without it: {next(iter(found.broken))}")
    passed = found.passed()
    failing = [test for test in picked if found.outcomes.get(test) == "failed"]
    if not failing:
        raise Dropped("no test fails without it")
    return sorted(failing), sorted({*picked, *near} & passed)


def _gold(shop: Shop, trials: Sequence[Trials], tests: list[str], chance: random.Random) -> None:
    """Run `tests` on the tree as it was, three times; those that fail once are unstable."""
    for each in trials[:3]:
        passed = each.tests({}, tests, seconds=120, order=chance.randrange(2**31)).passed()
        shop.unstable.update(set(tests) - passed)


def _stable(shop: Shop, tests: list[str]) -> list[str]:
    return [test for test in tests if test not in shop.unstable]


def _known(hidden: list[HiddenCase], bodies: list[str], left: dict[str, str]) -> list[HiddenCase]:
    """Without cases that need a long text, or an attribute, which stands nowhere any more."""
    tree = "\n".join(left.values())
    words = set(WORD.findall(tree))
    hidden = [case for case in hidden if attributes([case.expected.value, case.expected.after]) <= words]
    unsayable = [each for each in literals(bodies) if len(each) > LONG_LITERAL and each not in tree]
    return [case for case in hidden if not any(shown(each, case) for each in unsayable)]


def told_apart(trials: Trials, files: dict[str, str], tests: list[str], hidden: list[HiddenCase], limit: float) -> bool:
    """Whether a wrong variant fails a test or a hidden case."""
    found = trials.tests(dict(files), tests, seconds=limit + 2, limit=limit, first=True)
    if found.broken or len(found.passed()) < len(tests):
        return True
    gave = trials.calls(dict(files), [case.call for case in hidden])
    return not all(agree(case.expected, each) for case, each in zip(hidden, gave, strict=True))


def _parts(  # noqa: PLR0917
    shop: Shop, candidate: Candidate, files: dict[str, str], failing: list[str], others: list[str],
    hidden: list[HiddenCase], mutated: tuple[int, int], limit: float,
) -> folder.Parts:  # fmt: skip
    raw, layout = shop.layout.raw, shop.layout
    units = tuple(
        Unit(path=each.path, qualname=each.qualname, module=each.module, lines=each.lines) for each in candidate.pieces
    )
    tree = folder.archive(raw | {path: text.encode() for path, text in files.items()})
    gold = folder.archive({path: raw[path] for path in files})
    pristine = {path: raw[path] for path in layout.tests}
    tests = folder.archive(pristine)
    kept = Hidden(cases=tuple(hidden))
    digests = (
        folder.sha256(tree),
        folder.sha256(tests),
        folder.sha256(gold),
        folder.sha256(folder.dumped(kept).encode()),
    )
    told = _promises(candidate.pieces, units, hidden, layout.texts, files)
    task = Task(
        task_id=task_id(layout.package, layout.version, units, digests), package=layout.package, version=layout.version,
        kind=candidate.kind, units=units, instructions=instructions(layout.package, layout.version, told, failing),
        fail_to_pass=tuple(failing), pass_to_pass=tuple(others),
        test_files={path: folder.sha256(content) for path, content in sorted(pristine.items())},
        tools=shop.tool_names, seconds=round(60 + 10 * limit, 1), mutants=mutated, difficulty=candidate.difficulty,
        tree_sha256=digests[0], tests_sha256=digests[1], gold_sha256=digests[2], hidden_sha256=digests[3],
    )  # fmt: skip
    patch = "".join(_diff(path, files[path], layout.texts[path]) for path in sorted(files))
    return folder.Parts(task, tree, tests, gold, patch, kept)


def _promises(
    pieces: Sequence[Piece],
    units: Sequence[Unit],
    hidden: list[HiddenCase],
    texts: dict[str, str],
    files: dict[str, str],
) -> list[Promise]:
    tree = "\n".join(text for path, text in texts.items() if path not in files) + "\n".join(files.values())
    told: list[Promise] = []
    for piece, unit in zip(pieces, units, strict=True):
        names = {piece.qualname, *(body.qualname for body in piece.bodies)}
        mine = [case for case in hidden if case.call.module == piece.module and case.call.qualname in names]
        raises = sorted({case.expected.raised.rpartition(":")[2] for case in mine if case.expected.raised})
        every = {each for each in literals(_bodies(texts, [piece])) if each not in tree and len(each) <= LONG_LITERAL}
        needed = sorted(each for each in every if any(shown(each, case) for case in hidden))
        told.append(Promise(unit, piece.signature, piece.doc, tuple(raises), tuple(needed)))
    return told


def _diff(path: str, before: str, after: str) -> str:
    lines = difflib.unified_diff(before.splitlines(True), after.splitlines(True), f"a/{path}", f"b/{path}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
