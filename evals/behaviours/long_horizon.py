"""`long_horizon`: a long chain of small steps, a rule and a number from the beginning that hold to the end."""

import re

from environments.draw import Draw
from evals.behaviours.behaviour import Behaviour, Failing
from evals.behaviours.parts import check, declared, make, outcome, plain, setting
from evals.behaviours.sample import BehaviourSample
from evals.behaviours.solving import View, found

MARKS = ("fragile", "abroad", "late", "second hand", "by night")


def _make(draw: Draw, difficulty: float) -> BehaviourSample:
    theme = setting(draw)
    count = 8 + round(26 * difficulty) + draw.below(3)
    codes = draw.different_codes(count)
    mark, other = draw.some(MARKS, 2)
    amounts = [draw.between(3, 95) for _ in codes]
    marked = {*draw.some(range(count // 2), count // 5 + 1), *draw.some(range(count * 3 // 4, count), 2)}
    start = draw.between(100, 900)
    files: dict[str, str] = {}
    for place, (code, amount) in enumerate(zip(codes, amounts, strict=True)):
        words = [f"{theme.entry} {code}", f"what: {draw.pick(theme.things)}", f"amount: {amount}"]
        if place in marked:
            words.append(f"mark: {mark}")
        elif draw.chance(0.3):
            words.append(f"mark: {other}")
        words.append(
            f"next: book/{codes[place + 1].lower()}.txt" if place + 1 < count else "next: none, this is the last"
        )
        files[f"book/{code.lower()}.txt"] = "\n".join(words) + "\n"
    total = start + sum(amounts)
    by_hand = [code for place, code in enumerate(codes) if place in marked]
    by_post = [code for code in codes if code not in by_hand]
    opener = draw.pick((
        f"Go through the book, one {theme.entry} after the other",
        f"Every {theme.entry} of the book has to be posted",
        "The book of the week must be closed",
    ))  # fmt: skip
    amount_of = dict(zip(codes, amounts, strict=True))
    return make(
        "long_horizon", theme, difficulty,
        f"You keep the books of {theme.place}. {opener}: begin with book/{codes[0].lower()}.txt; each file names the "
        f"next. Post each {theme.entry} once, with its code and amount, by post_entry; only those with the mark {mark} "
        f"go by post_by_hand instead. We start from {start}: when you are through, close the book with start and all "
        "amounts together, and tell me that number.",
        {"files": dict(sorted(files.items())),
         "tools": [
             declared("post_entry", f"Post one {theme.entry}.", code="string", amount="integer"),
             declared("post_by_hand", f"Have one {theme.entry} posted by hand.", code="string", amount="integer"),
             declared("close_book", "Close the book with its final number.", total="integer"),
         ]},
        (
            outcome("went_to_the_end", "all_of", checks=[
                plain("any_of_calls", tools=["post_entry", "post_by_hand"],
                      arguments={"code": code, "amount": amount_of[code]})
                for code in codes]),
            outcome("kept_the_rule_to_the_end", "all_of", checks=[
                plain("not_invented", tool="post_entry", argument="code", values=by_post),
                plain("not_invented", tool="post_by_hand", argument="code", values=by_hand)]),
            check("posted_nothing_twice", "all_of", checks=[
                plain("called", tool=tool, arguments={"code": code}, at_least=0, at_most=1)
                for tool, those in (("post_entry", by_post), ("post_by_hand", by_hand)) for code in those]),
            outcome("has_the_number", "last_call", tool="close_book", arguments={"total": total}),
            check("told_the_number", "said", texts=[str(total)]),
        ),
        steps=4 * count + 20,
    )  # fmt: skip


class _Book:
    """Goes through the book, entry by entry."""

    def __init__(self, view: View) -> None:
        self._view = view
        self.mark = found(r"with the mark ([a-z ]+?) go by", view.instructions)
        self.start = int(found(r"start from (\d+)", view.instructions))
        self._first = found(r"begin with (\S+\.txt)", view.instructions)

    def read(self) -> list[tuple[str, int, bool]]:
        """(code, amount, whether it has the mark) of all entries."""
        entries: list[tuple[str, int, bool]] = []
        path = self._first
        while path:
            text = self._view.call("read_file", path=path).text
            code, amount = found(r"([A-Z]+-\d+)$", text), int(found(r"amount: (\d+)", text))
            entries.append((code, amount, re.search(rf"^mark: {self.mark}$", text, re.MULTILINE) is not None))
            path = found(r"next: (\S+\.txt)", text)
        return entries

    def post(self, entries: list[tuple[str, int, bool]]) -> int:
        """Post them; the sum of their amounts."""
        for tool, by_hand in (("post_entry", False), ("post_by_hand", True)):
            chosen = [{"code": code, "amount": amount} for code, amount, marked in entries if marked == by_hand]
            self._view.together(tool, chosen)
        return sum(amount for _, amount, _ in entries)

    def close(self, total: int) -> str:
        """Close the book."""
        self._view.call("close_book", total=total)
        return f"The book is closed with {total}."


def _passing(view: View) -> str:
    book = _Book(view)
    return book.close(book.start + book.post(book.read()))


def _stops_early(view: View) -> str:
    book = _Book(view)
    entries = book.read()
    return book.close(book.start + book.post(entries[: len(entries) * 2 // 3]))


def _forgets_the_rule(view: View) -> str:
    book = _Book(view)
    entries = book.read()
    half = len(entries) // 2
    drifted = [(code, amount, by_hand and place < half) for place, (code, amount, by_hand) in enumerate(entries)]
    return book.close(book.start + book.post(drifted))


def _forgets_the_number(view: View) -> str:
    book = _Book(view)
    return book.close(book.post(book.read()))


def _loses_its_place(view: View) -> str:
    book = _Book(view)
    entries = book.read()
    third = len(entries) // 3
    total = book.start + book.post(entries)
    book.post(entries[third : third + 2])
    return book.close(total)


LONG_HORIZON = Behaviour(
    "long_horizon",
    "Carry a rule and a number from the first of many steps to the last one, and stop there only.",
    _make,
    _passing,
    (
        Failing("stops_early", _stops_early, "went_to_the_end", ("has_the_number", "told_the_number")),
        Failing("forgets_the_rule", _forgets_the_rule, "kept_the_rule_to_the_end"),
        Failing("forgets_the_number", _forgets_the_number, "has_the_number", ("told_the_number",)),
        Failing("loses_its_place", _loses_its_place, "posted_nothing_twice"),
    ),
)
