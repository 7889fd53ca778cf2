"""Trials in a room: files are changed for one of them, and nothing of it is left for the next."""

import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from evals.cleanroom import Limits
from evals.tasks.folder import lay
from evals.tasks.generate.trials import Trials
from evals.tasks.task import Call
from evals.tasks.values import encode

SOURCE = "def f(a):\n    return a + 1\n"
TESTS = textwrap.dedent("""
    import os, subprocess, time
    import pytest
    import m

    def test_f():
        assert m.f(1) == 2

    @pytest.mark.parametrize("odd", ["a::b", "x[1] y", "ü"])
    def test_odd(odd):
        assert m.f(1) == 2 and odd

    def test_writes():
        open("m.py", "w").write("gone")
        open("left.txt", "w").write("left")
        os.makedirs("/tmp/left", exist_ok=True)

    def test_sees_nothing_of_others():
        assert not os.path.exists("left.txt") and not os.path.exists("/tmp/left")
        assert open("m.py").read().startswith("def f")

    def test_forks():
        subprocess.Popen(["sleep", "98765"], start_new_session=True)
        if os.fork() == 0:
            os.setsid()
            os.execvp("sleep", ["sleep", "98765"])

    def test_is_alone():
        asleep = [pid for pid in os.listdir("/proc") if pid.isdigit()
                  and b"98765" in open(f"/proc/{pid}/cmdline", "rb").read()]
        assert asleep == []

    def test_exits():
        os._exit(0)

    def test_never_ends():
        while True:
            try:
                time.sleep(60)
            except BaseException:
                pass

    def test_is_slow():
        time.sleep(60)

    @pytest.fixture
    def late():
        yield
        assert False

    def test_fails_late(late):
        pass

    def test_fills_the_disk():
        with open("big", "wb") as file:
            while True:
                file.write(bytes(2**20))
""")
AT = "test_m.py::"


@pytest.fixture(scope="module")
def trials(rooms: None, tool_site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trials]:
    tree = tmp_path_factory.mktemp("tree")
    lay({"m.py": SOURCE.encode(), "test_m.py": TESTS.encode()}, tree)
    opened = Trials(tree, tool_site, (".",), 1, Limits(disk_mb=64))
    yield opened
    opened.close()


def test_files_are_changed_for_one_trial_also_where_size_and_moment_are_the_same(trials: Trials):
    tests = [f"{AT}test_f", f"{AT}test_odd[a::b]", f"{AT}test_odd[x[1] y]"]
    wrong = {"m.py": SOURCE.replace("+", "-")}
    for files, passes in (({}, True), (wrong, False), ({}, True), (wrong, False)):
        found = trials.tests(files, tests, order=3)
        assert found.ended == "done" and len(found.outcomes) == 3
        assert (found.passed() == set(tests)) is passes
    assert len(trials.tests(wrong, tests, first=True).outcomes) == 1
    assert trials.tests({"m.py": None}, tests).broken and trials.tests({"n.py": "x = 1"}, tests).passed() == set(tests)


def test_what_tests_do_to_the_tree_is_undone_and_what_they_start_is_ended(trials: Trials):
    assert trials.tests({}, [f"{AT}test_writes", f"{AT}test_forks"]).passed()
    after = [f"{AT}test_sees_nothing_of_others", f"{AT}test_is_alone"]
    assert trials.tests({}, after).passed() == set(after)


def test_tests_that_end_or_block_their_process_are_named(trials: Trials):
    found = trials.tests({}, [f"{AT}test_f", f"{AT}test_exits"], limit=5)
    assert (found.ended, found.began, found.passed()) == ("crashed", f"{AT}test_exits", {f"{AT}test_f"})
    found = trials.tests({}, [f"{AT}test_f", f"{AT}test_never_ends"], seconds=2.0, limit=1)
    assert (found.ended, found.began) == ("timed out", f"{AT}test_never_ends")
    found = trials.tests({}, [f"{AT}test_is_slow", f"{AT}test_fails_late"], limit=0.2)
    assert found.outcomes == {f"{AT}test_is_slow": "slow", f"{AT}test_fails_late": "failed"}


def test_a_room_that_is_full_is_followed_by_another(trials: Trials):
    found = trials.tests({}, [f"{AT}test_f", f"{AT}test_fills_the_disk"], limit=20)
    assert f"{AT}test_fills_the_disk" not in found.passed()
    assert trials.tests({}, [f"{AT}test_f"]).passed() == {f"{AT}test_f"}


def test_watching_says_who_calls_whom_and_with_what(trials: Trials):
    inner = (
        "import functools\n\ndef f(a):\n    return g(a, by=1)\n\ndef g(a, by=2):\n    return a + by\n\nMADE = f(9)\n"
    )
    found = trials.tests({"m.py": inner}, [f"{AT}test_f"], watch=["m.py"])
    assert found.touched == {f"{AT}test_f": [("m.py", "f"), ("m.py", "g")]}
    assert found.at_import == {("m.py", "f"), ("m.py", "g")}
    assert found.edges == {("m.py", "f", "m.py", "g")}
    assert [(name, call["args"], call["kwargs"]) for _, name, call in found.calls] == [
        ("f", [encode(1)], {}),
        ("g", [encode(1), encode(1)], {}),
    ]


def test_calls_are_made_on_changed_files(trials: Trials):
    calls = [Call(module="m", qualname="f", args=(encode(2),)), Call(module="m", qualname="none")]
    plain, none = trials.calls({}, calls)
    changed, _ = trials.calls({"m.py": SOURCE.replace("+ 1", "* 5")}, calls)
    assert plain and plain.value == encode(3) and changed and changed.value == encode(10)
    assert none and none.raised == "builtins:AttributeError"


def test_calls_are_made_as_if_the_machine_had_just_been_started(trials: Trials):
    text = "from time import monotonic, time_ns\n\ndef f():\n    return monotonic() < 60, time_ns() < 60 * 10**9\n"
    calls = [Call(module="m", qualname="f")]
    for new in (False, True):
        (found,) = trials.calls({"m.py": text}, calls, new_clocks=new)
        assert found and found.value["tuple"][1] is new and (found.value == encode((True, True))) >= new


def test_collecting_runs_nothing(trials: Trials):
    found = trials.collect(10)
    assert len(found.collected) == 13 and found.outcomes == {}
    assert trials.tests({}, []).ended == "done"
