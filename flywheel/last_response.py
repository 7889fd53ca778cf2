"""Which response a person had before them last, as far as the lake of a home knows. It needs no build.

Left out: what is on the log and not yet landed, which a sink brings in seconds.
"""

from datetime import datetime
from typing import NamedTuple

import duckdb

from ingest.home import Home
from ingest.lake.segments import ensure_empty
from ingest.lake.views import lake_relation
from models.errors import TransientError

SHOWN = 70
"""Characters of a completion that are told."""

# Another person's response is theirs, unless only one person tries things out here: the product then knows them by
# another name than their login.
QUERY = """
with served as (
    select response_id, completion, person_id, audience, coalesce(occurred_at, received_at) as served_at, received_at
    from ({lake})
    where type = 'response.served.v1' and error is null and erased is null
)
select response_id, completion, person_id, served_at
from served
where person_id = $person
    or (audience = 'internal' and (
        person_id is null
        or (select count(distinct person_id) from served where audience = 'internal') = 1
    ))
order by served_at desc, received_at desc
limit 1
"""


class LastResponse(NamedTuple):
    """A response that was served."""

    response_id: str
    completion: str | None
    person_id: str | None
    served_at: datetime

    def told(self) -> str:
        """In one line, so that the reporter sees whether it is the right one."""
        said = " ".join((self.completion or "").split())
        short = said if len(said) <= SHOWN else f"{said[: SHOWN - 3]}..."
        whose = f" to {self.person_id}" if self.person_id else ""
        text = f', "{short}"' if short else ""
        return f"{self.response_id}, served{whose} at {self.served_at:%Y-%m-%d %H:%M} UTC{text}"


def last_response(home: Home, person: str) -> LastResponse | None:
    """The newest response served to `person`, or to our own people without a name; None where there is none.

    Raises TransientError where the lake changes too fast to be read.
    """
    ensure_empty(home, "responses")
    try:
        with duckdb.connect() as connection:
            connection.execute("set TimeZone = 'UTC'")
            query = QUERY.format(lake=lake_relation(home, "responses"))
            row = connection.execute(query, {"person": person}).fetchone()
    except duckdb.Error as error:
        said = str(error).splitlines()[0]
        raise TransientError(
            f"the last response can't be looked up in {home.lake}: {said}: try again, or name it with --response, "
            "or --no-response"
        ) from error
    return LastResponse(*row) if row else None
