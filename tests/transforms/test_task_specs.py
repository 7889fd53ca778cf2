"""Specs of tasks: sides that share no code, sets that stay, and what is left out."""

import polars as pl

from models.events.task import TaskCertified
from models.specs import EvalSpec, TrainingSpec
from transforms.specs.tasks import is_of_tasks, sides, task_specs

SHA = "a" * 64


def task(name: str, *units: str, package: str = "pkg") -> TaskCertified:
    return TaskCertified(
        id=f"c-{name}", source="flywheel", task_id=name, package=package, version="1", kind="function", units=units,
        lines=1, files=1, difficulty=0.1, fail_to_pass=1, pass_to_pass=1, hidden=3, mutants=2, mutants_killed=2,
        tree_sha256=SHA, tests_sha256=SHA, gold_sha256=SHA, hidden_sha256=SHA, signature="s",
    )  # fmt: skip


def test_tasks_that_share_code_are_on_one_side() -> None:
    shared = [
        task("a", "pkg.m:Stack.push"), task("b", "pkg.m:Stack.pop", "pkg.n:f"), task("c", "pkg.n:f"),
        task("d", "pkg.m:Stack"),
    ]  # fmt: skip
    for held_out, trained in (sides(shared), sides(list(reversed(shared)))):
        assert (len(held_out), len(trained)) in {(4, 0), (0, 4)}


def test_both_sides_have_tasks_and_new_ones_move_none() -> None:
    many = [task(f"t{number}", f"pkg.m{number % 7}:f{number}") for number in range(60)]
    held_out, trained = sides(many)
    assert 10 <= len(held_out) <= 30
    assert len(held_out) + len(trained) == 60
    fewer, _ = sides(many[:40])
    assert {each.task_id for each in fewer} == {each.task_id for each in held_out} & {
        each.task_id for each in many[:40]
    }


def test_a_pair_of_specs_a_package_whose_sets_hold_what_an_agent_is_told() -> None:
    many = [task(f"t{number}", f"pkg.m:f{number}") for number in range(20)]
    told = {each.task_id: f"write {each.task_id}" for each in many[:-1]}
    again = many[0].model_copy(update={"id": "c-again"})
    found = task_specs([*many, again], told)
    assert [type(spec) for spec, _ in found] == [EvalSpec, TrainingSpec]
    assert all(is_of_tasks(spec) for spec, _ in found)
    rows = pl.concat([pl.read_parquet(content) for _, content in found])
    assert sorted(rows["target_id"]) == sorted(told)
    assert dict(rows.select("target_id", "prompt").iter_rows()) == told
    evidence = [key for spec, _ in found for key in spec.evidence]
    assert len(evidence) == len(set(evidence)) == 19
    assert [content for _, content in task_specs(many, told)] == [content for _, content in found]
