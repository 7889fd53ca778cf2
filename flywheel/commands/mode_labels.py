"""`flywheel modes label`: a person says what texts show, at a terminal or in a file; an answer is an event at once."""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import click

from flywheel.commands.mode_changes import NEXT, by_option, person
from flywheel.place import existing_home, open_event_log, placed
from flywheel.shown import visible
from ingest.log import EventLog, publish
from models.errors import TerminalError
from text.normal_form import preview
from transforms.taxonomy.changes import find
from transforms.taxonomy.fold import Taxonomy
from transforms.taxonomy.labelling import (
    PRAISE,
    Label,
    Question,
    answered,
    from_file,
    labelled,
    news,
    questions,
    withdrawn,
)
from transforms.taxonomy.told import Told, told

READ = 2_000
"""Characters of a text that are shown."""
KEYS = "numbers or ids of the modes, n none of them, p praise, s skip, u undo, ? the modes, q quit"


@click.command()
@placed
@by_option
@click.option("--batch", type=click.IntRange(min=1), default=20, show_default=True, help="Texts to ask about.")
@click.option("--mode", metavar="MODE", help="Only texts that may show this mode.")
@click.option("--again", is_flag=True, help="Also texts that only others have labelled: a second opinion.")
@click.option(
    "--from",
    "file",
    metavar="FILE.csv",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Take labels from a file in place of asking: columns event_key, modes (with ; between, or none), labelled_by.",
)
def label(batch: int, mode: str | None, again: bool, file: Path | None, by: str | None) -> None:
    """Say which modes texts show; asks for those first of which the classifier is least sure.

    An answer is the numbers or ids of the modes, n for none of them, p for praise; s skips, u takes the last answer
    back, q ends. The classifier learns from the answers with the next build. Asks about texts of the published build.

    \b
    Examples:
      flywheel modes label --batch 30
      flywheel modes label --mode communication
      flywheel modes label --from labels.csv --by ann
    """
    home, who = existing_home(), person(by)
    with open_event_log(home) as log:
        said = told(log)
        known = said.taxonomy
        if file is not None:
            fresh = news(from_file(home, file, known, who), said.labels)
            publish(log, [labelled(each, datetime.now(UTC)) for each in fresh])
            click.echo(f"{len(fresh)} labels of {file} are new; {NEXT}" if fresh else f"all of {file} is known already")
            return
        wanted: set[str] = set()
        if mode is not None:
            target = known.successor(find(known, mode).mode_id)
            if target is None:
                raise TerminalError(f"{mode} has ended: no text shows it")
            wanted = {each for each in known.modes if known.successor(each) == target}
        done = {text for text, one in said.labels if one == who} if again else said.labelled()
        asked = questions(home, done, batch, wanted)
        if not asked:
            click.echo("there is nothing to ask: every text of the published build is labelled, or like one that is")
            return
        _Session(log, said, who).ask(asked)


class _Session:
    """One person at one terminal."""

    def __init__(self, log: EventLog, said: Told, who: str) -> None:
        self._log = log
        self._known: Taxonomy = said.taxonomy
        self._who = who
        standing = [mode for mode in self._known.modes.values() if mode.stands]
        self._numbered = [mode.mode_id for mode in sorted(standing, key=lambda mode: (mode.parent or "~", mode.name))]

    def ask(self, asked: list[Question]) -> None:
        """Ask until all is answered or the person ends it."""
        given: dict[int, Label] = {}
        answers = self._lines()
        self._list()
        place = 0
        while place < len(asked):
            question = asked[place]
            self._show(question, place + 1, len(asked))
            line = next(answers, "q")
            match line.casefold():
                case "q":
                    break
                case "?":
                    self._list()
                case "":
                    click.echo(KEYS)
                case "s":
                    place += 1
                case "u":
                    if not given:
                        click.echo("there is no answer to take back")
                        continue
                    place = max(given)
                    publish(self._log, [withdrawn(given.pop(place), datetime.now(UTC))])
                case _:
                    try:
                        modes = self._named(line)
                    except TerminalError as error:
                        click.echo(str(error))
                        continue
                    given[place] = Label(question.event_key, question.text_hash, modes, self._who)
                    publish(self._log, [labelled(given[place], datetime.now(UTC))])
                    place += 1
        click.echo(f"\n{len(given)} of {len(asked)} labelled by {self._who}" + (f"; {NEXT}" if given else ""))

    def _named(self, line: str) -> tuple[str, ...]:
        if line.casefold() == "n":
            return ()
        return answered(PRAISE if line.casefold() == "p" else line, self._numbered, self._known)

    def _lines(self) -> Iterator[str]:
        """What the person types, until the input ends."""
        while line := sys.stdin.readline():
            yield line.strip()

    def _list(self) -> None:
        for number, mode_id in enumerate(self._numbered, start=1):
            mode = self._known.modes[mode_id]
            click.echo(f"{number:4} {mode.name}" + (f"  ({mode_id})" if mode.name != mode_id else ""))
        click.echo(KEYS)

    def _show(self, question: Question, number: int, count: int) -> None:
        likes = [
            f"{self._numbered.index(mode) + 1} {mode} {confidence:.2f}" if mode in self._numbered else mode
            for mode, confidence in question.guesses
        ]
        many = f", said {question.comments} times" if question.comments > 1 else ""
        click.echo(f"\n{number} of {count}{many}; {question.why}")
        click.echo(f"  {visible(preview(question.text, READ))}")
        click.echo(f"  looks like: {', '.join(likes)}")
        click.echo("> ", nl=False)
