"""Which SQL only reads. DuckDB's read-only files don't decide that: `copy ... to` writes any file beside them.

Left to the connection (see `ingest.reader`): its settings are locked, so that no function that a question calls can
switch on a log file or a profile.
"""

import duckdb

from models.errors import FlywheelError

ASKS = frozenset({"select", "from", "with", "values", "table", "pivot", "pivot_wider", "unpivot"})
DESCRIBES = frozenset({"describe", "desc", "summarize", "show"})
EXPLAINS = frozenset({"analyze", "format", "json", "text", "html", "graphviz", "yaml", "mermaid"})
"""What may stand between `explain` and what it explains."""

KINDS = duckdb.StatementType


def check(sql: str) -> None:
    """Raise FlywheelError unless every statement of `sql` is a question, or explains the answer to one."""
    try:
        statements = duckdb.extract_statements(sql)
    except duckdb.Error as error:
        raise FlywheelError(f"the query failed: {str(error).splitlines()[0]}") from error
    if not statements:
        raise FlywheelError("flywheel sql only reads: there is no statement in it, try 'show tables'")
    for statement in statements:
        if not _only_reads(statement):
            shown = " ".join(statement.query.split())
            raise FlywheelError(
                f"flywheel sql only reads: {shown if len(shown) <= 60 else shown[:57] + '...'!r} may do more. Ask with "
                "select, from, with, pivot, show, describe, summarize or explain; --format csv > FILE keeps an answer"
            )


def _only_reads(statement: duckdb.Statement) -> bool:
    if statement.type == KINDS.SELECT:
        return True
    words = _words(statement.query)
    first = next(iter(words.values()), "")
    if first == "explain":
        return _explains_a_question(statement.query, words)
    # Whatever holds a pivot is MULTI to DuckDB, a copy too: the first word tells them apart.
    return statement.type == KINDS.MULTI and first in ASKS


def _explains_a_question(sql: str, words: dict[int, str]) -> bool:
    """`explain analyze` runs what it explains, so that has to be a question."""
    for start, word in list(words.items())[1:]:
        if word in ASKS | DESCRIBES:
            try:
                inner = duckdb.extract_statements(sql.encode()[start:].decode())
            except duckdb.Error:
                return False
            return len(inner) == 1 and _only_reads(inner[0])
        if word not in EXPLAINS:
            return False
    return False


def _words(sql: str) -> dict[int, str]:
    """Offset in bytes -> word in lower case, for all that is no comment, operator or constant."""
    content = sql.encode()
    tokens = duckdb.tokenize(sql)
    ends = [start for start, _ in tokens[1:]] + [len(content)]
    return {
        start: content[start:end].decode().split()[0].lower()
        for (start, kind), end in zip(tokens, ends, strict=True)
        if kind in (duckdb.token_type.keyword, duckdb.token_type.identifier)
    }
