"""Reading numbers and counting words, as the scorers of completions need it."""

import regex

WORD = regex.compile(r"[\p{L}\p{N}]+(?:['’._,-][\p{L}\p{N}]+)*")

SMALL = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
SPELLED = {
    **{word: number for number, word in enumerate(SMALL, 1)},
    "a single": 1, "fifteen": 15, "twenty": 20, "twenty-five": 25, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "one hundred": 100, "a hundred": 100, "two hundred": 200,
    "three hundred": 300, "five hundred": 500, "a thousand": 1000,
}  # fmt: skip

NUMBER = rf"(?:\d[\d,]*|{'|'.join(sorted(SPELLED, key=len, reverse=True))})"
"""A regular expression for a whole number, in digits or spelled. Not compiled: it is put into others."""


def whole(number: str) -> int:
    """What NUMBER matched, as an int."""
    spelled = SPELLED.get(" ".join(number.lower().split()))
    return spelled if spelled is not None else int(number.replace(",", ""))


def count_words(text: str) -> int:
    """Runs of letters and digits; a hyphen, an apostrophe or a decimal point inside one doesn't split it."""
    return len(WORD.findall(text))
