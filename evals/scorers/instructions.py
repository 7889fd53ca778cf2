"""`instructions`: does a completion obey the instructions in its prompt that a program can check? See `rules.py`."""

from evals.scorers.base import Score
from evals.scorers.rules import RULES
from models.specs import Args


def instructions(prompt: str, completion: str, args: Args) -> Score | None:
    """The share of the prompt's checkable instructions that are obeyed; with `args["strict"]`, 1 only if all are.

    Nothing where the prompt has no such instruction.
    """
    found = [(each.words, each.obeyed(completion)) for rule in RULES if (each := rule(prompt)) is not None]
    if not found:
        return None
    obeyed = sum(ok for _, ok in found)
    value = float(obeyed == len(found)) if args.get("strict") else obeyed / len(found)
    told = "; ".join(f"{'obeyed' if ok else 'broken'}: {words}" for words, ok in found)
    return Score(value, f"{obeyed} of {len(found)}", told)
