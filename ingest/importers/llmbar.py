"""LLMBar: pairs of outputs for one instruction, of which people agreed that one follows it better. A JSON line each.

The label is what several annotators settled on: one author stands for them. Left out: nothing.
"""

from ingest.importers.base import Context, Importer, Refused, Unfit, text_of
from ingest.importers.json_rows import read_lines
from ingest.importers.pairs import pair
from ingest.importers.reported import whole
from ingest.importers.sample import with_keys
from models.events import AnyEvent
from models.events.base import Json

SOURCE = "import/llmbar"
CHOICES = {1: "first", 2: "second"}


def events(row: Json, context: Context) -> list[AnyEvent]:
    """Both outputs as responses, and the preference. Raises Unfit for another kind of row."""
    subset, number = text_of(row.get("subset")), text_of(row.get("idx"))
    if not (subset and number and {"output_1", "output_2", "label"} <= row.keys()):
        raise Unfit("not a pair of LLMBar: it needs subset, idx, output_1, output_2 and label")
    choice = CHOICES.get(whole(row["label"]) or 0)
    if choice is None:
        raise Refused(f"the label {row['label']!r} is neither 1 nor 2")
    key = f"llmbar/{subset}/{number}"
    return pair(
        context.source(SOURCE),
        key,
        conversation=key,
        prompt=str(row.get("input")),
        responses=((f"{key}/1", row["output_1"], None), (f"{key}/2", row["output_2"], None)),
        choices={"llmbar": choice},
        metric="instruction_following",
    )


LLMBAR = Importer(
    "llmbar",
    "Pairs of outputs with the better one named: llmbar.jsonl.gz",
    read_lines,
    events,
    SOURCE,
    fits=with_keys("subset", "idx", "output_1", "output_2", "label"),
)
