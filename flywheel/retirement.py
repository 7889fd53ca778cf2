"""Evals that are spent are retired: where the best checkpoint passes nearly all, a better one can hardly be told.

Of evals that ask a model now. What a product served is a monitor: it is there to stay at 100%. What takes the place of
a behaviour's eval is a harder one (`behaviour_specs.hardness`), once a build knows of the retirement.
"""

from typing import Final

from ingest.home import Home
from ingest.log import EventLog, publish
from ingest.reader import query
from models.events.spec import SpecRetired
from models.ids import event_id

SOURCE = "flywheel/retirement"
SATURATED: Final = "saturated: "
"""How the reason begins."""
SPENT = """
select saturation.spec_id, best, strict, low
from fct_eval_saturation as saturation
inner join fct_specs as specs on saturation.spec_id = specs.spec_id
where saturation.is_spent and specs.is_latest and specs.retired_at is null
  and (specs.spec_key like 'eval:%:behaviour' or specs.spec_key like 'eval:tasks-%')
order by saturation.spec_id
"""


def retire_spent(home: Home, log: EventLog) -> list[SpecRetired]:
    """Retire what the published build says is spent; equal builds retire the same, once."""
    events = [
        SpecRetired(
            id=event_id("spec_spent", spec_id), source=SOURCE, spec_id=str(spec_id),
            reason=f"{SATURATED}{best} passes {float(str(strict)):.1%}, {float(str(low)):.1%} at the least",
        )
        for spec_id, best, strict, low in query(home, SPENT).rows
    ]  # fmt: skip
    publish(log, events)
    return events
