"""Which samples share their luck: those of one conversation, or of one template of a world."""

import json
from typing import Any, cast

from ingest.jobs.samples import Sample


def cluster_of(sample: Sample) -> str | None:
    """The sample's cluster; None where it stands alone. It is the same for every checkpoint that is asked."""
    if sample.episode is not None:
        try:
            said: Any = json.loads(sample.episode)
        except ValueError:
            return sample.conversation_id  # the episode is for its reader to refuse
        cluster = cast("dict[str, Any]", said).get("cluster") if isinstance(said, dict) else None
        return str(cluster) if cluster else sample.conversation_id
    return sample.conversation_id
