"""The feedback explorer: what people wrote and how they voted, searched and filtered, each with a way to its response.

What is written is few beside votes, and is asked of its own tables; votes are looked at from the newest back.
"""

from typing import Any, NamedTuple

from dashboards import words
from dashboards.address import Address
from dashboards.listing import listing
from dashboards.page import Asked, Page, Shown
from dashboards.table import Column, Table

KINDS = ("written", "comment", "report", "thumb", "score")
OPINIONS = ("negative", "positive", "unknown")

OPINION = """
case when {0}.is_negative then 'negative' when not {0}.is_negative then 'positive' else 'unknown' end as opinion
"""

WRITTEN = f"""
select written.event_key, written.kind, written.happened_at, written.received_at, written.text,
  {OPINION.format("written")}, written.source, cells.checkpoint_id, cells.language, written.author_id,
  case when starts_with(cells.answer_key, 'response|') then substr(cells.answer_key, 10) end as response_id
from int_written_feedback as written join int_mode_cells as cells on written.event_key = cells.event_key
where not cells.is_automated
"""

VOTES = f"""
select event_key, kind, happened_at, received_at, coalesce(thumb, label, value::varchar) as vote, metric,
  {OPINION.format("votes")}, source, checkpoint_id, language, author_id, response_id
from fct_feedback as votes where kind = ?
"""

MODES = """
select shown.event_key, string_agg(modes.name, ', ' order by shown.rank) as modes
from fct_feedback_modes as shown join dim_failure_modes as modes using (mode_id)
where shown.event_key in (select unnest(?::varchar[])) group by 1
"""

CHOICES = """
select 'checkpoint' as what, checkpoint_id as value, sum(feedback_count) as n from fct_written_daily
where checkpoint_id is not null group by all
union all select 'source', source, sum(feedback_count) from fct_written_daily where source is not null group by all
union all select 'language', language,
sum(feedback_count) from fct_written_daily where language is not null group by all
order by n desc, value
"""
MOST_CHOICES = 40

WORDS = (
    Column("happened_at", "when", "moment", link="/event", link_by="event_key"),
    Column("text", "what was said", "words", sortable=False),
    Column("opinion", "opinion", "state"),
    Column("modes", "shows", sortable=False),
    Column("response_id", "response", link="/response", sortable=False),
    Column("checkpoint_id", "checkpoint", link="/checkpoint"),
    Column("language", "language"),
    Column("source", "source"),
    Column("author_id", "author", "words", sortable=False),
)

VOTED = (
    Column("received_at", "arrived", "moment", sortable=False),
    Column("vote", "vote", sortable=False),
    Column("metric", "metric", sortable=False),
    Column("opinion", "opinion", "state", sortable=False),
    Column("response_id", "response", link="/response", sortable=False),
    Column("checkpoint_id", "checkpoint", link="/checkpoint", sortable=False),
    Column("source", "source", sortable=False),
    Column("author_id", "author", "words", sortable=False),
)


class Filters(NamedTuple):
    """What the address asks for."""

    q: str
    kind: str
    opinion: str
    mode: str
    checkpoint: str
    source: str
    language: str
    since: Any
    until: Any

    @property
    def is_votes(self) -> bool:
        """Whether votes are asked for, and not words."""
        return self.kind in ("thumb", "score")


def show(asked: Asked) -> Shown:
    """What the filters leave, newest first."""
    filters = _filters(asked.address, reads=asked.reads_words)
    sql, parameters = _votes(filters) if filters.is_votes else _written(filters)
    if filters.is_votes:
        table = listing(
            asked, "feedback", "Votes, newest first", VOTED, sql, parameters, order="received_at desc, event_key",
            counted=False, empty="None is left by these filters.", mart="fct_feedback",
        )  # fmt: skip
        lead = f"{words.count(len(table.rows), filters.kind)} of this part, from the newest back."
    else:
        table = listing(
            asked, "feedback", "Comments and reports, newest first", WORDS, sql, parameters,
            order="happened_at desc, event_key", empty="None is left by these filters.", mart="fct_feedback",
        )  # fmt: skip
        table = _with_modes(asked, table)
        lead = _lead(asked, sql, parameters, filtered=filters != _filters(Address("/feedback", {}), reads=True))
    return Shown(
        lead=lead,
        tables=(table,),
        facts={"filters": filters, "choices": _choices(asked), "kinds": KINDS, "opinions": OPINIONS},
    )


def _filters(address: Address, *, reads: bool) -> Filters:
    return Filters(
        q=address.text("q") if reads else "",  # a search would tell of what is hidden
        kind=address.choice("kind", KINDS, "written"),
        opinion=address.choice("opinion", OPINIONS),
        mode=address.text("mode"),
        checkpoint=address.text("checkpoint"),
        source=address.text("source"),
        language=address.text("language"),
        since=address.day("from"),
        until=address.day("to"),
    )


def _written(filters: Filters) -> tuple[str, list[Any]]:
    clauses: list[tuple[str, Any]] = [
        ("cells.happened_at >= ?::date", filters.since),
        ("cells.happened_at < ?::date + 1", filters.until),
    ]
    clauses += [(f"cells.{name} = ?", value) for name, value in (
        ("checkpoint_id", filters.checkpoint), ("source", filters.source), ("language", filters.language),
    )]  # fmt: skip
    clauses += [
        ("contains(lower(written.text), lower(?))", filters.q),
        ("written.event_key in (select event_key from fct_feedback_modes where mode_id = ?)", filters.mode),
        ("written.kind = ?", "" if filters.kind == "written" else filters.kind),
    ]
    return _narrowed(WRITTEN, [], clauses, "written", filters.opinion)


def _votes(filters: Filters) -> tuple[str, list[Any]]:
    clauses: list[tuple[str, Any]] = [
        ("received_at >= ?::date", filters.since),
        ("received_at < ?::date + 1", filters.until),
    ]
    clauses += [(f"{name} = ?", value) for name, value in (
        ("checkpoint_id", filters.checkpoint), ("source", filters.source), ("language", filters.language),
    )]  # fmt: skip
    return _narrowed(VOTES, [filters.kind], clauses, "votes", filters.opinion)


def _narrowed(
    sql: str, parameters: list[Any], clauses: list[tuple[str, Any]], table: str, opinion: str
) -> tuple[str, list[Any]]:
    used = [(clause, value) for clause, value in clauses if value]
    sql += "".join(f" and {clause}" for clause, _ in used)
    if opinion:
        sql += (
            f" and {table}.is_negative {({'negative': '= true', 'positive': '= false', 'unknown': 'is null'})[opinion]}"
        )
    return sql, [*parameters, *(value for _, value in used)]


def _with_modes(asked: Asked, table: Table) -> Table:
    keys = [row["event_key"] for row in table.rows]
    modes = {row["event_key"]: row["modes"] for row in asked.rows(MODES, tuple(keys))} if keys else {}
    return table._replace(rows=[{**row, "modes": modes.get(row["event_key"])} for row in table.rows])


def _lead(asked: Asked, sql: str, parameters: list[Any], *, filtered: bool) -> str:
    found = asked.row(
        f"select count(*) as n, count(*) filter (where opinion = 'negative') as negative from ({sql})", *parameters
    )
    what = words.count(found["n"], "comment and report", "comments and reports")
    return f"{what} {'match' if filtered else 'were left'}, {found['negative']:,} of them negative."


def _choices(asked: Asked) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {"checkpoint": [], "source": [], "language": []}
    for row in asked.rows(CHOICES):
        if len(found[row["what"]]) < MOST_CHOICES:
            found[row["what"]].append(row["value"])
    return found


PAGE = Page(
    name="feedback",
    path="/feedback",
    title="Feedback",
    question="What do people say, and about which answers?",
    needs=(
        "fct_feedback",
        "fct_feedback_modes",
        "dim_failure_modes",
        "fct_written_daily",
        "int_written_feedback",
        "int_mode_cells",
    ),
    show=show,
    live_s=15,
)
