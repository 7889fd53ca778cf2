"""A repository of one file of each kind of trouble, made into tasks in real rooms."""

import random
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from evals.tasks.folder import archive, contents, lay, read, sha256, write
from evals.tasks.generate.attempt import attempt
from evals.tasks.generate.candidates import Candidate, candidates
from evals.tasks.generate.difficulty import difficulty
from evals.tasks.generate.proof import proof
from evals.tasks.generate.report import Dropped, Made
from evals.tasks.generate.run import generate
from evals.tasks.generate.shop import Shop, open_shop
from evals.tasks.instructions import missing, revealed
from evals.tasks.task import Kind
from models.errors import TerminalError
from tests.evals.tasks.shelf import make


@pytest.fixture(scope="module")
def shop(rooms: None, tool_site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    home = tmp_path_factory.mktemp("shelf")
    with open_shop(make(home / "repo"), home / "tasks", test_seconds=1, tool_folder=tool_site) as opened:
        yield opened


def candidate(shop: Shop, kind: Kind, *names: str) -> Candidate:
    """As `candidates` would make it, whatever it thinks of it."""
    picked = tuple(piece for name in names for piece in shop.pieces if f"{piece.module}:{piece.qualname}" == name)
    assert len(picked) == len(names)
    return Candidate(kind, picked, difficulty(picked, shop.seen.callees))


CUTS: dict[Kind, tuple[str, ...]] = {
    "function": ("shelf.words:shorten",),
    "class": ("shelf.stock:Stock",),
    "cluster": ("shelf.stock:label", "shelf.words:slug"),
    "files": ("shelf.stock:Stock", "shelf.stock:label"),
}


@pytest.fixture(scope="module")
def made(shop: Shop) -> dict[Kind, Made]:
    """A task of each kind."""
    with ThreadPoolExecutor(2) as pool:
        cuts = [candidate(shop, kind, *names) for kind, names in CUTS.items()]
        tasks = [pool.submit(attempt, shop, cut, at % 2, random.Random(1)) for at, cut in enumerate(cuts)]
        return {kind: task.result() for kind, task in zip(CUTS, tasks, strict=True)}


def test_each_kind_becomes_a_folder_that_holds_what_it_says(shop: Shop, made: dict[Kind, Made]):
    assert {path.name for path in shop.out.iterdir()} == {task.task_id for task in made.values()}
    for kind, task in made.items():
        parts = read(shop.out / task.task_id)
        assert parts.task.kind == kind
        assert tuple(f"{unit.module}:{unit.qualname}" for unit in parts.task.units) == CUTS[kind]
        assert parts.task.fail_to_pass and 3 <= len(parts.hidden.cases) <= 40
    assert read(shop.out / made["cluster"].task_id).task.difficulty.files == 2
    assert "tests/test_shelf.py::test_slug[-]" in read(shop.out / made["cluster"].task_id).task.fail_to_pass


def test_all_kinds_are_candidates_but_not_what_is_used_at_import_or_untested(shop: Shop):
    found = list(candidates(shop.pieces, shop.seen, tuple(CUTS), None, random.Random(0)))
    assert {each.kind for each in found} == set(CUTS)
    names = {piece.qualname for each in found for piece in each.pieces}
    assert {"slug", "shorten", "pairs", "Stock", "Stock.add", "label"} <= names
    assert not names & {"default_title", "untested", "Stock.__init__"}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("decorate", "a copy is left in the tree: shelf/old.py:2"),
        ("untested", "no test fails without it"),
        ("barely", "a trivial body passes: return None"),
        ("echo", "a trivial body passes: return the first argument"),
    ],
)
def test_what_can_be_no_task_is_dropped_with_a_reason(shop: Shop, name: str, why: str):
    with pytest.raises(Dropped, match=why):
        attempt(shop, candidate(shop, "function", f"shelf.words:{name}"), 0, random.Random(1))


def test_what_import_needs_is_dropped(shop: Shop):
    with pytest.raises(Dropped, match="tests can't be collected without it"):
        attempt(shop, candidate(shop, "function", "shelf.words:default_title"), 0, random.Random(1))


def test_tests_that_are_no_ground_to_stand_on_are_left_out_and_said(shop: Shop, made: dict[Kind, Made]):
    said = {why: [test.partition("::")[2] for test in tests] for why, tests in shop.seen.left_out.items()}
    assert said == {"fails": ["test_fails"], "is slow": ["test_never_ends"]}
    assert shop.unstable == {"tests/test_shelf.py::test_unlucky"}
    assert any("broken.py:1 is no Python" in note for note in shop.notes)
    for task in made.values():
        kept = read(shop.out / task.task_id).task
        named = " ".join([*kept.fail_to_pass, *kept.pass_to_pass])
        assert not any(name in named for name in ("test_fails", "test_never_ends", "test_unlucky"))


def test_looking_on_uses_up_nothing(shop: Shop):
    assert "tests/test_shelf.py::test_iterators_reach_the_body_whole" in shop.seen.took


def test_a_task_is_proven_anew_by_its_folder_alone(shop: Shop, made: dict[Kind, Made]):
    folder = shop.out / made["function"].task_id
    assert proof(folder, shop.tools, seeds=(5,), whole_suite=True, test_seconds=0.5) == []


def test_a_task_whose_gold_is_wrong_is_not_proven(shop: Shop, made: dict[Kind, Made], tmp_path: Path):
    parts = read(shop.out / made["function"].task_id)
    wrong = {path: text.replace(b"<= width", b"< width") for path, text in contents(parts.gold).items()}
    tar = archive(wrong)
    spoilt = parts._replace(gold=tar, task=parts.task.model_copy(update={"gold_sha256": sha256(tar)}))
    said = proof(write(tmp_path, spoilt), shop.tools)
    assert "tests/test_shelf.py::test_shorten fails with the gold files" in said
    assert "shorten gives something else than expected with the gold files" in said


def test_tree_holds_neither_body_nor_what_lay_around_and_the_patch_brings_the_body_back(
    shop: Shop, made: dict[Kind, Made], tmp_path: Path
):
    for kind, task in made.items():
        parts = read(shop.out / task.task_id)
        tree, gold = contents(parts.tree), contents(parts.gold)
        assert not any(path.endswith((".pyc", "secret")) for path in tree)
        assert all(tree[path] != content and b"NotImplementedError" in tree[path] for path, content in gold.items())
        assert set(contents(parts.tests)) == {"tests/test_shelf.py", "tests/data/words.txt"}
        at = tmp_path / kind
        lay(tree, at)
        patch = shop.out / task.task_id / "private/gold.patch"
        subprocess.run(["git", "apply", str(patch)], cwd=at, check=True)
        assert all((at / path).read_bytes() == content for path, content in gold.items())


def test_instructions_say_what_is_needed_and_nothing_of_the_body(shop: Shop, made: dict[Kind, Made]):
    folders = [shop.out / task.task_id for task in made.values()]
    for folder in folders:
        assert (missing(folder), revealed(folder)) == ([], [])
    texts = "".join(read(folder).task.instructions for folder in folders)
    assert "def shorten(text, width, ending='...')" in texts
    assert "Some calls end in `ValueError`." in texts
    assert ">>> slug(" in texts


def test_mutants_are_told_apart_and_methods_are_asked_step_by_step(shop: Shop, made: dict[Kind, Made]):
    killed, of = (sum(getattr(task, name) for task in made.values()) for name in ("mutants_killed", "mutants"))
    assert of >= 20 and killed >= 0.8 * of
    cases = read(shop.out / made["class"].task_id).hidden.cases
    assert any(case.call.before for case in cases)
    assert not any(case.expected.after and "_counts" in str(case.expected.after) for case in cases)


def test_a_repository_becomes_as_many_tasks_as_wanted_with_the_dial_and_an_agent(
    rooms: None, tool_site: Path, tmp_path: Path
):
    repo = make(tmp_path / "repo", endless=False)
    shown: list[tuple[int, int]] = []
    report = generate(
        repo, tmp_path / "tasks", want=1, dial="easy", kinds=("function",), baseline_agent=lambda _: 0.25,
        tool_folder=tool_site,        show=lambda done, total: shown.append((done, total)),
    )  # fmt: skip
    assert len(report.tasks) == 1 and shown[-1] == (1, 1)
    assert report.tried >= len(report.tasks) + sum(report.dropped.values())
    assert report.per_minute > 0 and report.tests == 16
    for task in report.tasks:
        kept = read(tmp_path / "tasks" / task.task_id).task.difficulty
        assert kept.estimate < 0.36 and kept.pass_rate == task.pass_rate == 0.25


@pytest.mark.parametrize(
    ("tests", "why"),
    [
        (None, "has no tests"),
        ("def test_it():\n    assert False\n", "no test of bad passes in the room"),
        ("import nowhere\n\ndef test_it(): pass\n", "can be collected in the room.*nowhere"),
        ("import os\n\ndef test_it():\n    os._exit(0)\n", "no test of bad passes"),
        ("def test_it():\n    while True: pass\n", "no test of bad passes"),
    ],
)
def test_bad_suites_end_with_a_reason(rooms: None, tool_site: Path, tmp_path: Path, tests: str | None, why: str):
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad/bad.py").write_text("def one():\n    a = 1\n    b = a\n    return b\n")
    if tests:
        (tmp_path / "bad/test_bad.py").write_text(tests)
    with pytest.raises(TerminalError, match=why):
        generate(tmp_path / "bad", tmp_path / "out", test_seconds=0.5, suite_seconds=3, tool_folder=tool_site)


def test_folders_without_code_and_large_ones_end_with_a_reason(tmp_path: Path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(TerminalError, match="no Python file"):
        generate(tmp_path / "empty", tmp_path / "out")
    repo = make(tmp_path / "repo")
    (repo / "large.txt").write_bytes(bytes(3 * 2**20))
    with pytest.raises(TerminalError, match="MB"):
        generate(repo, tmp_path / "out", most_mb=2)
    assert not (tmp_path / "out").exists()
