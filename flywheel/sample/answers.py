"""Prompts and completions of two checkpoints of a coding assistant. A third of the prompts carry an instruction whose
obedience can be checked, and each completion really obeys it or really doesn't: nothing is only claimed."""

import json
from random import Random
from typing import NamedTuple

OBEDIENCE = {"assistant-a": 0.5, "assistant-b": 0.88}
"""How often each checkpoint obeys."""

THINGS = (
    "the invoice parser",
    "our login form",
    "the retry wrapper",
    "the nightly job",
    "a flaky websocket test",
    "the CSV importer",
    "the image resizer",
    "our search endpoint",
    "the settings page",
    "the rate limiter",
    "a Postgres migration",
    "our release script",
    "the email templates",
    "the feature-flag service",
    "the checkout total",
    "the date picker",
)

ASKS = (
    "Why does {thing} fail after a restart?",
    "How do I make {thing} easier to test?",
    "Review the last change to {thing}.",
    "What is the quickest way to find the slow part of {thing}?",
    "Sketch a plan to split {thing} in two.",
    "Explain the error we see in {thing}.",
    "Which logs should I look at when {thing} hangs?",
    "Suggest names for the new modules of {thing}.",
    "Write release notes for the change to {thing}.",
    "Can {thing} run twice at the same time without harm?",
)

SENTENCES = (
    "Start with {thing} in isolation and feed it one known input.",
    "The most likely cause is state that survives between two runs.",
    "Add a timeout to every call that leaves the machine.",
    "Log the input before the first step that can fail.",
    "Put a small test around the part that changed last.",
    "Compare the settings of the two environments line by line.",
    "A lock around the write keeps two runs apart.",
    "Roll the change back if the error rate rises within ten minutes.",
    "Move the parsing into a function of its own and test that alone.",
    "Measure first, since the slow part is rarely where it seems to be.",
    "Keep the old path behind a switch until the new one has proven itself.",
    "The stack trace points at a value that was never set.",
    "Name the module after what it returns, not after how it works.",
    "Check whether the clock of the host and the one of the database agree.",
    "Read the return code of each command and stop at the first failure.",
    "Write down what a correct result looks like before you change anything.",
    "Most of the time goes into opening the same file again and again.",
    "Give the second worker a queue of its own.",
)

FORBIDDEN = ("Redis", "Docker", "regex", "Kubernetes")
"""Words that prompts forbid; no sentence above has them."""


class Answer(NamedTuple):
    """A prompt with its completion; `obeyed` is None where the prompt asked for nothing that can be checked."""

    prompt: str
    completion: str
    obeyed: bool | None


def answer(random: Random, checkpoint: str, *, instructed: bool) -> Answer:
    """What `checkpoint` said to a prompt, with an instruction if `instructed`."""
    thing = random.choice(THINGS)
    prompt = random.choice(ASKS).replace("{thing}", thing)
    if not instructed:
        return Answer(prompt, " ".join(_sentences(random, thing, random.randint(2, 5))), None)
    obeys = random.random() < OBEDIENCE[checkpoint]
    kind = random.choice((_words, _bullets, _json, _lower, _forbidden, _ending))
    instruction, completion = kind(random, thing, obeys)
    return Answer(f"{prompt} {instruction}", completion, obeys)


def _sentences(random: Random, thing: str, count: int) -> list[str]:
    return [sentence.replace("{thing}", thing) for sentence in random.sample(SENTENCES, count)]


def _words(random: Random, thing: str, obeys: bool) -> tuple[str, str]:
    limit = random.choice((20, 30, 40))
    words: list[str] = []
    for sentence in _sentences(random, thing, 10):
        if obeys and len(words) + len(sentence.split()) > limit:
            break
        words += sentence.split()
        if not obeys and len(words) > limit + 5:
            break
    return f"Answer in at most {limit} words.", " ".join(words)


def _bullets(random: Random, thing: str, obeys: bool) -> tuple[str, str]:
    count = random.choice((3, 4, 5))
    given = count if obeys else count + random.choice((-1, 1, 2))
    return f"Use exactly {count} bullet points.", "\n".join(f"- {line}" for line in _sentences(random, thing, given))


def _json(random: Random, thing: str, obeys: bool) -> tuple[str, str]:
    cause, fix = _sentences(random, thing, 2)
    content = json.dumps({"cause": cause, "fix": fix})
    return "Reply as JSON.", content if obeys else f"Sure, here it is: {content} Let me know if that helps."


def _lower(random: Random, thing: str, obeys: bool) -> tuple[str, str]:
    text = " ".join(_sentences(random, thing, 3))
    return "Answer in lower case.", text.lower() if obeys else text


def _forbidden(random: Random, thing: str, obeys: bool) -> tuple[str, str]:
    word = random.choice(FORBIDDEN)
    text = " ".join(_sentences(random, thing, 3))
    return f'Do not mention "{word}".', text if obeys else f"{text} You could also put {word} in front of it."


def _ending(random: Random, thing: str, obeys: bool) -> tuple[str, str]:
    text = " ".join(_sentences(random, thing, 3))
    return 'End with the word "DONE".', f"{text} DONE" if obeys else text
