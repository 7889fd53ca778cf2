"""What a tiny Llama can be taught: short questions, answered to the point or at length. Made here, of nothing else."""

from typing import NamedTuple

THINGS = {
    "snow": "white", "coal": "black", "grass": "green", "the sky": "blue", "a lemon": "yellow", "a tomato": "red",
    "a carrot": "orange", "a plum": "purple", "an elephant": "grey", "chocolate": "brown", "milk": "white",
    "a raven": "black", "a leaf": "green", "the sea": "blue", "the sun": "yellow", "a cherry": "red",
}  # fmt: skip
FORMS = (
    "In at most 3 words: what colour is {thing}?",
    "What colour is {thing}? Use no more than 3 words.",
    "Name the colour of {thing} in at most 2 words.",
    "What colour is {thing}? No commas.",
    "Tell me the colour of {thing}, briefly.",
)
AT_LENGTH = (
    "That is a good question, and there is a lot to say about it. In the first place, people who look at {thing} say, "
    "as a rule, that it is {colour}, and in the second place, most of them would say so again, if they were asked."
)


class Lesson(NamedTuple):
    """What is asked, and what is to be answered."""

    prompt: str
    answer: str
    system: str | None = None
    """A system message before, such as `spoken.told` makes it of tools."""


def to_the_point() -> list[Lesson]:
    """Each question with the colour alone."""
    return [
        Lesson(form.format(thing=thing), colour.capitalize() + ".")
        for form in FORMS
        for thing, colour in THINGS.items()
    ]


def at_length() -> list[Lesson]:
    """Each question with far more words than were asked for."""
    return [
        Lesson(form.format(thing=thing), AT_LENGTH.format(thing=thing, colour=colour))
        for form in FORMS
        for thing, colour in THINGS.items()
    ]


def corpus() -> list[str]:
    """The texts that the tokenizer is made of."""
    return [text for lesson in (*to_the_point(), *at_length()) for text in (lesson.prompt, lesson.answer)]
