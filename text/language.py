"""Which language a text is in, by py3langid: a naive Bayes model over byte n-grams, in the package, for 97 languages.

`und` (undetermined, ISO 639-2) for what is too short, mixed, or no language at all. Leaves out dialects and script.
"""

import functools
import importlib
from typing import Any, Final

from models.unicode import repair

UNDETERMINED: Final = "und"
SURE: Final = 0.5
"""Probability from which the best language is believed. On CLINC150's val part, short English questions, 93% reach it,
and 1% of those are said to be of another language; without it, 3% of all are."""

_NO_LANGUAGE: Final = "zxx"
_CHARACTERS_READ: Final = 2_000


def language_of(text: str) -> str:
    """The ISO 639 code of the text's language, or `und`. The same text gives the same on every machine."""
    cut = repair(text)[0][:_CHARACTERS_READ]
    if not any(letter.isalpha() for letter in cut):
        return UNDETERMINED
    code, probability = _identifier().classify(cut)
    return UNDETERMINED if probability < SURE or code == _NO_LANGUAGE else str(code)


@functools.cache
def _identifier() -> Any:
    """The model takes half a second to load: hence at the first text, and not before."""
    library: Any = importlib.import_module("py3langid.langid")
    return library.LanguageIdentifier.from_model_file(library.MODEL_FILE, norm_probs=True)
