"""Copies of code are found whatever their layout, and what only looks like one is not."""

import pytest

from evals.tasks.shingles import all_shingles, docstring_lines, find, shingles, tokens

BODY = """
    words = []
    for word in text.split():  # each
        kept = "".join(letter for letter in word.lower() if letter.isalnum())
        words.append(kept)
    return separator.join(words)
"""
OTHER = "def f(x):\n    return x\n"


def found(text: str, path: str = "a.py", *, prose: bool = False) -> list[int]:
    return [each.line for each in find(shingles(BODY), {path: text, "b.py": OTHER}, prose=prose)]


@pytest.mark.parametrize(
    "text",
    [
        f"def copy(text, separator):{BODY}",
        "class A:\n    def copy(self):" + BODY.replace("\n", "\n    "),
        f"def copy():{BODY}".replace('"', "'"),
        f"def copy():{BODY}".replace("  # each", "").replace("\n", "\n\n    # why\n"),
        f"def copy():{BODY}".replace(" = ", "=").replace("(word", "( word"),
    ],
)
def test_a_copy_is_found_in_any_layout(text: str):
    assert found(text)


def test_part_of_a_copy_is_found_but_fewer_lines_are_not():
    lines = BODY.strip("\n").split("\n")
    assert found("\n".join(lines[1:4])) == [1]
    assert not found("\n".join(lines[1:3]))
    assert not found("\n".join([lines[1], "    pass", *lines[2:3], "    pass", lines[4]]))


def test_docstrings_count_as_prose_alone_and_prompts_are_passed_over():
    quoted = '"""Do it.\n' + "\n".join(f"    >>> {line}" for line in BODY.strip("\n").split("\n")) + '\n"""\n'
    assert not found(quoted)
    assert found(quoted, prose=True)
    assert found(quoted, "README.md")


def test_small_bodies_and_idioms_are_nobodys():
    assert shingles("    return self.x\n") == set()
    assert shingles("    try:\n        return x\n    except KeyError:\n        pass\n") == set()
    assert (
        len(shingles("    return dict(zip(map(key, names), (value * 2 + 1 for value in values), strict=True))\n")) == 1
    )


def test_several_bodies_are_looked_for_at_once():
    assert all_shingles([BODY, OTHER]) == shingles(BODY)


def test_tokens_of_a_line():
    assert tokens("  x = f('a')  # not this") == ("x", "=", "f", "(", '"a"', ")")
    assert tokens("# alone") == tokens("   ") == ()


def test_lines_of_docstrings_and_of_texts_that_nobody_reads():
    assert docstring_lines('"""One\ntwo"""\nx = 1\n"three"\n') == {1, 2, 4}
    assert docstring_lines("def no(:") == set()
