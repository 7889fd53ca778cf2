"""PandaLM's test set: two models' responses to one instruction, compared by three people. A JSON line each.

Rows of one instruction are one conversation, so that they stay on one side of evals and training. A response that JSON
took for a boolean is the text that it stands as in the file.
"""

from ingest.importers.base import Context, Importer, Refused, Unfit, text_of
from ingest.importers.json_rows import read_lines
from ingest.importers.pairs import pair
from ingest.importers.reported import whole
from ingest.importers.sample import with_keys
from models.events import AnyEvent
from models.events.base import Json
from models.ids import digest

SOURCE = "import/pandalm"
CHOICES: dict[int | None, str] = {0: "tie", 1: "first", 2: "second"}


def events(row: Json, context: Context) -> list[AnyEvent]:
    """Both responses and each person's preference. Raises Unfit for another kind of row."""
    number, models = text_of(row.get("idx")), text_of(row.get("cmp_key"))
    raters = sorted(name for name in row if name.startswith("annotator"))
    if not (number and models and raters and {"response1", "response2"} <= row.keys()):
        raise Unfit("not a row of PandaLM: it needs idx, cmp_key, response1, response2 and annotators")
    first, separator, second = models.partition("_")
    if not (separator and second):
        raise Refused(f"the cmp_key {models!r} doesn't name two models")
    choices: dict[str, str | None] = {}
    for rater in raters:
        choices[rater] = CHOICES.get(whole(row[rater]))
        if row[rater] is not None and choices[rater] is None:
            raise Refused(f"{rater} is {row[rater]!r}, none of 0 (tie), 1 and 2")
    instruction = str(row.get("instruction"))
    prompt = "\n\n".join(text for text in (instruction, row.get("input")) if isinstance(text, str) and text)
    asked = digest([instruction, row.get("input")])[:12]
    return pair(
        context.source(SOURCE),
        f"pandalm/{number}",
        conversation=f"pandalm/{digest(instruction)[:12]}",
        prompt=prompt,
        responses=tuple(
            (f"pandalm/{asked}/{model}/{digest(row[field])[:8]}", row[field], model)
            for model, field in ((first, "response1"), (second, "response2"))
        ),
        choices=choices,
        metric="preference",
    )


PANDALM = Importer(
    "pandalm",
    "Pairs of responses compared by several people: testset-v1.jsonl.gz",
    read_lines,
    events,
    SOURCE,
    fits=with_keys("cmp_key", "response1", "response2", "annotator1"),
)
