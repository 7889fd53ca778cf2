"""Which rows are a person's: what they wrote, what is written about them, and what was worked out from either. Pure.

A rule is a pair: the names that a row goes by (`names`), and the names that a request lays claim to (`Claims`). A row
is erased that goes by a claimed name and arrived in time.

- what they wrote: responses and rollouts served to them, feedback of theirs (as a person, not as a model of that name),
  their exposures and metrics, also those under an anonymous id that is theirs alone;
- a response or rollout that names no person belongs to whom the others of that response or conversation belong to;
- what is written about them: feedback, exposures and metrics about those responses, rollouts, messages, traces, spans
  and conversations. An id that is another person's too is not theirs to claim;
- what was worked out from it: judgements, eval scores and labels of erased feedback and responses, whenever they came;
- what comes again under the source and id of an erased event, whenever it came.

Ids of persons are taken as one space over all sources, as a request names no source.
"""

import polars as pl

PLACE = ["log_partition", "log_offset"]
COLUMNS = {
    "responses": ("person_id", "response_id", "rollout_id", "message_id", "trace_id", "span_id", "conversation_id"),
    "feedback": (
        "author_kind", "author_id", "target_kind", "target_id", "first_kind", "first_id", "second_kind", "second_id",
        "response_id", "native_id", "job_id",
    ),
    "experiments": ("person_id", "anonymous_id", "response_id"),
    "results": ("sample_id",),
    "taxonomy": ("comment_key",),
}  # fmt: skip
"""Topic -> the columns that rules look at, beside the envelope."""
LOOKED_AT = ("log_partition", "log_offset", "received_at", "source", "event_id", "error", "erased")

CLAIMS = pl.Schema(
    {
        "kind": pl.String,
        "id": pl.String,
        "request": pl.Int32(),
        "until": pl.Datetime("us", "UTC"),
        "since": pl.Datetime("us", "UTC"),
        "since_partition": pl.Int32(),
        "since_offset": pl.Int64(),
    }
)
"""What requests lay claim to: `request` is its place among all, `until` and `since` bound arrival where not null. What
arrived with `since` has to stand behind its position."""

POINTED_AT = (
    ("response_id", "response"), ("rollout_id", "response"), ("rollout_id", "trace"), ("message_id", "message"),
    ("trace_id", "trace"), ("span_id", "span"), ("conversation_id", "conversation"),
)  # fmt: skip
"""Columns of a response or rollout, and the kinds of target under which feedback points at it."""
OWNED_BY = {"response_id": "response", "conversation_id": "conversation"}
"""What tells whose a response is that names nobody."""


def names(frame: pl.DataFrame, topic: str) -> pl.DataFrame:
    """The names that the rows of `frame` go by: PLACE, `received_at`, `kind`, `id`. What is erased has none left."""
    live = frame.filter(pl.col("error").is_null(), pl.col("erased").is_null())
    nobody = pl.col("person_id").is_null() if "person_id" in frame.columns else pl.lit(value=True)
    program = pl.col("author_kind") == "code"
    match topic:
        case "responses":
            found = [_named(live, "person", "person_id")]
            found += [_named(live.filter(nobody), f"own:{column}", column) for column in OWNED_BY]
        case "feedback":
            # A program may look at a response long after it was served: what it says of it goes whenever it came.
            about = pl.when(program).then(pl.lit("late:")).otherwise(pl.lit("")) + pl.lit("target:")
            found = [
                _named(live.filter(pl.col("author_kind") == "human"), "person", "author_id"),
                *(_named(live, about + pl.col(f"{end}_kind"), f"{end}_id") for end in ("target", "first", "second")),
                _named(live, about + pl.lit("response"), "response_id"),
                _named(live.filter(program & pl.col("job_id").is_not_null()), "key", "native_id"),
            ]
        case "experiments":
            found = [
                _named(live, "person", "person_id"),
                _named(live, "target:response", "response_id"),
                _named(live.filter(nobody), "anonymous", "anonymous_id"),
            ]
        case "results":
            found = [_named(live, "key", "sample_id")]
        case "taxonomy":
            found = [_named(live, "key", "comment_key")]
        case _:
            found = []
    return pl.concat([*found, _named(live, f"again:{topic}", key_of())])


def held_by_others(frame: pl.DataFrame, topic: str, persons: list[str]) -> pl.DataFrame:
    """(`kind`, `id`) of what rows of other persons than `persons` name: nobody else may claim it."""
    columns = POINTED_AT if topic == "responses" else (("anonymous_id", "anonymous"),)
    others = frame.filter(pl.col("person_id").is_not_null(), ~pl.col("person_id").is_in(persons))
    if topic == "experiments":
        others = others.filter(pl.col("error").is_null())
    parts = [others.select(kind=pl.lit(kind), id=column) for column, kind in columns]
    return pl.concat(parts).drop_nulls().unique()


def claims_of_persons(persons: list[tuple[int, str, object]]) -> pl.DataFrame:
    """The claims of requests themselves: (place, person, until) each."""
    rows = [{"kind": "person", "id": person, "request": place, "until": until} for place, person, until in persons]
    return pl.DataFrame(rows, schema=CLAIMS)


def claims_of_responses(marked: pl.DataFrame, held: pl.DataFrame) -> pl.DataFrame:
    """What the rows `marked` (the columns of a response, `request`, `until`) claim, but for what others hold too."""
    parts = [
        marked.select(kind=pl.lit(kind), id=column, request="request", until="until") for column, kind in POINTED_AT
    ]
    mine = pl.concat(parts).drop_nulls("id").join(held, on=["kind", "id"], how="anti")
    targets = [
        mine.with_columns(kind="target:" + pl.col("kind")),
        mine.with_columns(kind="late:target:" + pl.col("kind"), until=pl.lit(None, CLAIMS["until"])),
    ]
    owned = [
        mine.filter(pl.col("kind") == kind).with_columns(kind=pl.lit(f"own:{column}"))
        for column, kind in OWNED_BY.items()
    ]
    return as_claims(pl.concat([*targets, *owned]))


def claims_of_events(marked: pl.DataFrame, topic: str) -> pl.DataFrame:
    """What erased events of `topic` (`source`, `event_id`, `received_at`, `request`) claim: what says the same again,
    and what was worked out from them."""
    keyed = marked.drop_nulls(["source", "event_id"]).with_columns(id=key_of())
    again = keyed.select(
        "id", "request", kind=pl.lit(f"again:{topic}"), since="received_at", since_partition="log_partition",
        since_offset="log_offset",
    )  # fmt: skip
    return pl.concat([as_claims(again), as_claims(keyed.select("id", "request", kind=pl.lit("key")))])


def as_claims(frame: pl.DataFrame) -> pl.DataFrame:
    """`frame` with all columns of CLAIMS, each claim once."""
    missing = [pl.lit(None, kind).alias(name) for name, kind in CLAIMS.items() if name not in frame.columns]
    return frame.with_columns(missing).select(CLAIMS.names()).cast(CLAIMS).unique()


def claimed(named: pl.DataFrame, claims: pl.DataFrame) -> pl.DataFrame:
    """PLACE and `request` of the rows that go by a claimed name and arrived in time: the first request of each."""
    partition, offset = pl.col("log_partition"), pl.col("log_offset")
    behind = (partition > pl.col("since_partition")) | (
        (partition == pl.col("since_partition")) & (offset > pl.col("since_offset"))
    )
    in_time = pl.col("until").is_null() | (pl.col("received_at") <= pl.col("until"))
    later = (pl.col("received_at") > pl.col("since")) | ((pl.col("received_at") == pl.col("since")) & behind)
    return (
        named.join(claims, on=["kind", "id"])
        .filter(in_time, pl.col("since").is_null() | later)
        .group_by(PLACE)
        .agg(pl.col("request").min())
    )


def key_of() -> pl.Expr:
    """The event key, as the warehouse has it: source, a bar, event id."""
    return pl.col("source") + "|" + pl.col("event_id")


def _named(frame: pl.DataFrame, kind: str | pl.Expr, name: str | pl.Expr) -> pl.DataFrame:
    kind = pl.lit(kind) if isinstance(kind, str) else kind
    ident = pl.col(name) if isinstance(name, str) else name
    return frame.select(*PLACE, "received_at", kind=kind, id=ident).drop_nulls(["kind", "id"])
