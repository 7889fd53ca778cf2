"""Import a file: rows to events, what is new onto the log, and an account of every row.

Every write may happen twice: ids come from content, so an import that was killed is repeated and ends with the events
it would have had. `FileImported` comes last and says that the file was read to its end.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from pydantic import ValidationError

from ingest.home import Home
from ingest.importers.authors import without_addresses
from ingest.importers.base import Context, Importer, Options, Refused, Row, Unfit
from ingest.importers.folders import members
from ingest.importers.known import Key, Known, KnownEvents
from ingest.importers.source_file import FileFacts, check_file, check_folder
from ingest.log import EventLog, publish
from ingest.log.publish import fitting
from models.errors import TerminalError
from models.events import AnyEvent
from models.events.imports import FileImported, RowRefused
from models.events.oversize import TooLarge, cut
from models.ids import content_id, digest, event_id
from models.topics import TOPICS
from models.unicode import Unclean, printable, repair_json

ROWS_AT_A_TIME = 4_000
"""Rows whose events are looked up together."""

EVENTS_AT_A_TIME = 2_000
"""Events appended together: what a crash makes us write again."""

FIRST_ROWS = 50
"""If none of these has the format's fields, the file is of another format, and nothing is written."""

KEPT_TEXT = 10_000
"""Characters kept of a refused row."""

Progress = Callable[[int, int], None]
"""(bytes of the file done, bytes in all)."""


class Account(NamedTuple):
    """What became of a file. rows = accepted + duplicate + refused + without_feedback."""

    file_import_id: str
    rows: int
    accepted: int
    """Rows that gave at least one event that was not known."""
    duplicate: int
    refused: int
    without_feedback: int
    events: int
    """Events that this import wrote, those that go to quarantine among them."""
    events_duplicate: int
    events_quarantined: int
    """Events whose id is known with other content: written, and put into quarantine by staging."""
    reasons: Counter[str]
    """Why rows were refused."""
    already_imported: bool = False
    """True where this file was imported to its end before: nothing was read into events."""
    warnings: Mapping[str, int] = MappingProxyType({})
    """What the person should know of rows that were taken all the same -> how many."""
    contradicts: Mapping[str, int] = MappingProxyType({})
    """Import -> how many of its events say other things under the same ids: those that went to quarantine now."""


class Outcome(NamedTuple):
    """A row with its events, or with the reason for having none."""

    row: Row
    events: list[AnyEvent]
    reason: str | None = None
    fits: bool = True


def import_file(  # noqa: PLR0917 - what is imported from where to where, and nothing else
    log: EventLog,
    home: Home,
    importer: Importer,
    path: Path,
    options: Options,
    progress: Progress | None = None,
    *,
    backfill: bool = False,
) -> Account:
    """Import `path` and say what became of it.

    `backfill`: through the lanes for old events, so that what comes fresh does not wait behind a large file.

    Raises TerminalError, before anything is written, for a file that can't be imported; TransientError where the log
    can't take the events now: repeat it then.
    """
    folder = importer.folder if path.is_dir() else None
    facts = check_folder(path, members(path, folder)) if folder else check_file(path)
    said = dict(sorted(options.items()))
    what: dict[str, object] = {"format": importer.name, "options": said, "sha256": facts.sha256}
    if importer.named:
        what["name"] = path.name
    import_id = content_id("import", what)
    with home.lock(import_id):
        run = _Import(log, home, importer, path, options=options, facts=facts, import_id=import_id, progress=progress)
        run.backfill = backfill
        return run.run()


def _silent(done: int, total: int) -> None:
    """No progress is shown."""


class _Import:
    """One run over one file: its counts, and what it has already seen."""

    def __init__(
        self,
        log: EventLog,
        home: Home,
        importer: Importer,
        path: Path,
        *,
        options: Options,
        facts: FileFacts,
        import_id: str,
        progress: Progress | None,
    ) -> None:
        self._log, self._importer, self._path, self._options = log, importer, path, options
        self._facts, self._import_id, self._progress = facts, import_id, progress or _silent
        self._source = importer.source or f"import/{importer.name}"
        self.backfill = False
        topics = (*importer.topics, "imports") if importer.source else tuple(TOPICS)
        self._known = KnownEvents(home, log, topics, importer.source)
        self._context = Context(options)
        self._reading = digest([importer.name, *sorted(pair for pair in options.items() if pair[0] != "corrects")])
        self._contradicts: Counter[str] = Counter()
        self._seen: dict[bytes, str] = {}
        self._rows: Counter[str] = Counter()
        self._events: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()

    def run(self) -> Account:
        """See `import_file`."""
        done_id = event_id("import", "file_imported", self._import_id)
        if self._known.find({(self._source, done_id)}):
            rows = sum(1 for _ in self._importer.read(self._path, self._options))
            return Account(self._import_id, rows, 0, rows, 0, 0, 0, 0, 0, Counter(), already_imported=True)
        self._check_correction()
        outcomes = self._outcomes()
        first = list(islice(outcomes, FIRST_ROWS))
        self._check_format(first)
        pending = first + list(islice(outcomes, ROWS_AT_A_TIME))
        while pending:
            self._write(pending)
            self._progress(pending[-1].row.position, self._facts.size)
            pending = list(islice(outcomes, ROWS_AT_A_TIME))
        account = self._account()
        finished = FileImported(
            id=done_id,
            source=self._source,
            import_id=self._import_id,
            file_import_id=self._import_id,
            format=self._importer.name,
            file_name=printable(self._path.name),
            sha256=self._facts.sha256,
            rows=account.rows,
            rows_accepted=account.accepted,
            rows_duplicate=account.duplicate,
            rows_refused=account.refused,
            rows_without_feedback=account.without_feedback,
            events=account.events,
            corrects=self._options.get("corrects"),
        )
        publish(self._log, [finished])
        self._progress(self._facts.size, self._facts.size)
        return account

    def _outcomes(self) -> Iterator[Outcome]:
        for row in self._importer.read(self._path, self._options):
            yield self._outcome(row)

    def _outcome(self, row: Row) -> Outcome:
        if row.content is None:
            return Outcome(row, [], row.reason or "can't be read", fits=False)
        try:
            content, repaired = repair_json(row.content)
            said = {"import_id": self._import_id, "import_row": row.number}
            if repaired:
                said["repaired"] = True
            events = self._importer.events(content, self._context)
            return Outcome(row, [fitting(event.model_copy(update=said)) for event in events])
        except (Refused, Unclean, TooLarge) as refusal:
            return Outcome(row, [], str(refusal), fits=not isinstance(refusal, Unfit))
        except ValidationError as error:
            fault = error.errors(include_url=False, include_context=False)[0]
            place = ".".join(str(part) for part in fault["loc"])
            return Outcome(row, [], f"{place}: {fault['msg']} (got {str(fault['input'])[:80]!r})")

    def _check_correction(self) -> None:
        """Raises TerminalError for a correction of what was never imported, or of events whose ids are not ours."""
        corrected = self._options.get("corrects")
        if corrected is None:
            return
        if not self._importer.source:
            raise TerminalError(f"{self._importer.name} brings ids of its own: its producer has to correct its events")
        if not self._known.find({(self._source, event_id("import", "file_imported", corrected))}):
            raise TerminalError(
                f"there is no finished import {corrected} of format {self._importer.name} here to correct: "
                'flywheel sql "select file_import_id, file_name from fct_import_accounts" lists them'
            )
        self._known.corrected.add(corrected)

    def _check_format(self, first: list[Outcome]) -> None:
        if not first:
            raise TerminalError(f"{self._path} has no rows: nothing to import")
        if any(outcome.fits for outcome in first):
            return
        row, reason = first[0].row, first[0].reason
        raise TerminalError(
            f"{self._path} is not in format {self._importer.name}: none of its first {len(first)} rows can be read; "
            f"row {row.number}: {reason}: give it another --format"
        )

    def _write(self, outcomes: list[Outcome]) -> None:
        """Append what is new of these rows, and count them."""
        refusals = {outcome.row.number: self._refusal(outcome) for outcome in outcomes if outcome.reason is not None}
        keys = {(event.source, event.id) for outcome in outcomes for event in outcome.events}
        keys |= {(event.source, event.id) for event in refusals.values()}
        known = self._known.find(keys)
        outcomes = self._renamed(outcomes, known)
        new: list[AnyEvent] = []
        for outcome in outcomes:
            if outcome.reason is not None:
                refusal = refusals[outcome.row.number]
                self._rows["refused"] += 1
                self._reasons[outcome.reason] += 1
                if (refusal.source, refusal.id) not in known:
                    new.append(refusal)
            elif not outcome.events:
                self._rows["without_feedback"] += 1
            else:
                verdicts = [self._judge(event, known, new) for event in outcome.events]
                self._rows["duplicate" if set(verdicts) == {"duplicate"} else "accepted"] += 1
                self._events.update(verdicts)
            if len(new) >= EVENTS_AT_A_TIME:
                publish(self._log, new, backfill=self.backfill)
                self._progress(outcome.row.position, self._facts.size)
                new.clear()
        publish(self._log, new, backfill=self.backfill)

    def _renamed(self, outcomes: list[Outcome], known: dict[Key, list[Known]]) -> list[Outcome]:
        """The events under ids of this reading of the file where the ids they would have are those of an import that
        was corrected: what it wrote under them stays the first, and counts no longer."""
        corrected = self._known.corrected
        taken = {
            key
            for key, copies in known.items()
            if any(copy.import_id in corrected for copy in copies) and not any(copy.is_erased for copy in copies)
        }
        if not taken:
            return outcomes
        renamed: set[Key] = set()

        def rename(event: AnyEvent) -> AnyEvent:
            if (event.source, event.id) not in taken:
                return event
            event = event.model_copy(update={"id": event_id("reading", self._reading, event.id)})
            renamed.add((event.source, event.id))
            return event

        again = [outcome._replace(events=[rename(event) for event in outcome.events]) for outcome in outcomes]
        known.update(self._known.find(renamed))
        return again

    def _judge(self, event: AnyEvent, known: dict[Key, list[Known]], new: list[AnyEvent]) -> str:
        """`accepted`, `duplicate` or `quarantined`; what is not on the log yet is put into `new`.

        What this very import wrote before it was killed counts as if it were written now.
        """
        content_hash = event.content_hash()
        copies = known.get((event.source, event.id), [])
        written = content_hash in {copy.content_hash for copy in copies}
        others = {copy.content_hash for copy in copies if copy.import_id != self._import_id}
        key = blake2b(f"{event.source}|{event.id}".encode(), digest_size=16).digest()
        earlier = self._seen.get(key)
        if content_hash in others or content_hash == earlier or any(copy.is_erased for copy in copies):
            return "duplicate"
        if not written:
            new.append(event)
        if others or earlier is not None:
            self._contradicts.update({copy.import_id for copy in copies if copy.import_id and others})
            return "quarantined"
        self._seen[key] = content_hash
        return "accepted"

    def _refusal(self, outcome: Outcome) -> RowRefused:
        text = cut(printable(without_addresses(outcome.row.text)), KEPT_TEXT)
        return RowRefused(
            id=event_id("import", "row_refused", self._import_id, outcome.row.number),
            source=self._source,
            import_id=self._import_id,
            import_row=outcome.row.number,
            file_import_id=self._import_id,
            row=outcome.row.number,
            reason=printable(outcome.reason or ""),
            text=text,
        )

    def _account(self) -> Account:
        rows, events = self._rows, self._events
        return Account(
            self._import_id,
            rows.total(),
            rows["accepted"],
            rows["duplicate"],
            rows["refused"],
            rows["without_feedback"],
            events["accepted"] + events["quarantined"],
            events["duplicate"],
            events["quarantined"],
            self._reasons,
            False,
            self._context.warnings,
            self._contradicts,
        )
