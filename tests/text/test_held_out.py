"""What the guard finds, and what it lets pass."""

import random

import pytest

from text.held_out import COMMON, WORDS, Held, HeldOut, words

SEA = "Write a short poem about the sea at night, name no fish in it, and keep every line under seven words please."
BUILD = "Explain to a new colleague why the nightly build copies the live file before it runs anything inside it."
CANARY = "flywheel-canary-2f0c"
VOCABULARY = [
    "".join(random.Random(number).choices("abcdefghijklmnopqrstuvwxyz", k=3 + number % 6)) for number in range(5000)
]


def text(seed: int, length: int) -> str:
    return " ".join(random.Random(seed).choices(VOCABULARY, k=length))


@pytest.fixture(scope="module")
def held() -> HeldOut:
    return HeldOut([Held("sea", (SEA,), CANARY), Held("build", (BUILD, "yes"), CANARY), Held("long", (text(1, 300),))])


@pytest.mark.parametrize(
    ("row", "kind", "name"),
    [
        (SEA, "exact", "sea"),
        (f"  {SEA.upper()}\n\n", "exact", "sea"),
        (SEA.replace(" ", "  \t"), "exact", "sea"),
        (SEA.replace("short", "brief"), "near", "sea"),
        (BUILD + " Thanks!", "near", "build"),
        ("yes", "exact", "build"),
        (f"{text(2, 400)} {SEA} {text(3, 400)}", "words", "sea"),
        (f"{text(4, 200)}; {' '.join(words(BUILD)[2 : 2 + WORDS])}; {text(5, 200)}", "words", "build"),
        (f"{text(6, 50)}{CANARY}{text(7, 50)}", "canary", "sea"),
        (" ".join(text(1, 300).split()[100:160]), "words", "long"),
    ],
    ids=["same", "case", "spaces", "one-word", "longer", "short", "inside", "13-words", "canary", "a-part"],
)
def test_what_is_held_out_is_found_whatever_was_done_to_it(held: HeldOut, row: str, kind: str, name: str) -> None:
    (found,) = held.matches([("before", [text(8, 90)]), ("row", ["", row]), ("after", [text(9, 90)])])
    assert (found.row, found.held, found.kind) == ("row", name, kind)
    assert 0 < found.share <= 1


@pytest.mark.parametrize(
    "row",
    [
        "",
        "no",
        "Write a short poem about the sea.",
        " ".join(words(BUILD)[2 : 1 + WORDS]) + " and then something else altogether",
        "Write a long poem about a mountain at noon, name no bird in it, and keep every line above nine words please.",
        " ".join(reversed(SEA.split())),
        text(10, 2000),
    ],
    ids=["nothing", "short", "its-topic", "12-words", "its-form", "its-words", "long"],
)
def test_honest_texts_pass(held: HeldOut, row: str) -> None:
    assert held.matches([("row", [row])]) == []


def test_what_stands_in_many_samples_is_their_form() -> None:
    frame = "You are a careful assistant who answers in plain words and asks where something is not clear to you."
    many = HeldOut([Held(str(number), (f"{frame} {text(number, 40)}",)) for number in range(COMMON + 1)])
    assert many.matches([("row", [f"{frame} {text(99, 200)}"])]) == []
    (found,) = many.matches([("row", [f"{text(99, 60)} {text(2, 40)}"])])
    assert (found.held, found.kind) == ("2", "words")


def test_scripts_without_spaces_are_compared_by_letters() -> None:
    asked = "請用三行寫一首關於夜晚大海的短詩不要提到任何魚類"
    (found,) = HeldOut([Held("sea", (asked,))]).matches(
        [("row", ["今天天氣很好我們去海邊散步吧" * 3 + asked + "謝謝你的幫助"])]
    )
    assert found.kind == "words"


def test_rows_come_in_their_order_each_once_however_many_there_are(held: HeldOut) -> None:
    rows = [(str(number), [SEA, BUILD] if number % 1000 == 7 else [text(100 + number, 20)]) for number in range(4500)]
    found = held.matches(iter(rows))
    assert [match.row for match in found] == ["7", "1007", "2007", "3007", "4007"]


def test_nothing_held_out_finds_nothing() -> None:
    assert HeldOut([]).matches([("row", [SEA])]) == []
    assert HeldOut([Held("empty", ("", "  "))]).matches([("row", [SEA, ""])]) == []
