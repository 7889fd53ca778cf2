"""What the `taxonomy` topic says by now: modes, and labels of texts. The log is asked, as a build may lag behind."""

from typing import NamedTuple

from ingest.log import EventLog, replay
from models.errors import BadEvent
from models.events import AnyEvent, parse
from models.events.taxonomy import LabelWithdrawn, TextLabelled
from transforms.taxonomy.fold import Taxonomy, seeded_modes


class Told(NamedTuple):
    """The taxonomy, and each person's last word on each text."""

    taxonomy: Taxonomy
    labels: dict[tuple[str, str], TextLabelled]
    """(text hash, person) -> what they said last, where they have not taken it back."""

    def labelled(self) -> set[str]:
        """The hashes of texts on which somebody's word stands."""
        return {text for text, _ in self.labels}


def told(log: EventLog) -> Told:
    """Fold the topic; what is no event is passed over, and a copy says nothing, as in staging."""
    found = Told(Taxonomy(seeded_modes()), {})
    seen: set[tuple[str, str]] = set()
    for record in replay(log, "taxonomy"):
        try:
            event: AnyEvent = parse(record.value, record.headers)
        except BadEvent:
            continue
        if (event.source, event.id) in seen:
            continue
        seen.add((event.source, event.id))
        if isinstance(event, TextLabelled):
            found.labels[event.text_hash, event.labelled_by] = event
        elif isinstance(event, LabelWithdrawn):
            found.labels.pop((event.text_hash, event.labelled_by), None)
        else:
            found.taxonomy.add(event, record.appended_at)
    return found
