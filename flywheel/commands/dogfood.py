"""`flywheel dogfood`: a report from the terminal, with the response that it is about."""

import getpass
import os
from datetime import UTC, datetime

import click
from pydantic import ValidationError

from flywheel.last_response import last_response
from flywheel.place import home_path, open_event_log, open_home, placed
from flywheel.ranges import Between
from flywheel_client import Flywheel
from flywheel_client.ids import new_id
from ingest.home import Home
from ingest.log.publish import publish
from models.errors import TerminalError, TransientError
from models.events.report import ReportFiled
from models.feedback import Author, Target
from models.unicode import repair

SOURCE = "dogfood"


@click.command()
@placed
@click.argument("text")
@click.option("--response", "response_id", metavar="ID", help="The response that it is about. Default: your last one.")
@click.option("--no-response", "alone", is_flag=True, help="It is about no response.")
@click.option("--author", metavar="PERSON", help="Who you are; also FLYWHEEL_PERSON. Default: your login.")
@click.option("--link", metavar="URL", help="Where more is to be seen: a trace, a ticket.")
@click.option("--url", metavar="URL", envvar="FLYWHEEL_URL", help="A collector, with the key in FLYWHEEL_KEY; also "
              "FLYWHEEL_URL. Default: straight to the home's log.")  # fmt: skip
@click.option(
    "--wait",
    type=Between(min=0),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="How long the collector may take.",
)
def dogfood(*, text: str, response_id: str | None, alone: bool, author: str | None, link: str | None,
            url: str | None, wait: float) -> None:  # fmt: skip
    """File a report: TEXT says what went wrong. The last response that you saw is attached, and named.

    \b
    Examples:
      flywheel dogfood "it claims to have run the tests, and has not"
      flywheel dogfood "answers in English to a German question" --response r-81 --link https://tracker/12
      flywheel dogfood "slow all morning" --no-response --url http://collector:8080
    """
    if not text.strip():
        raise click.UsageError("the report is empty: say what went wrong")
    if alone and response_id:
        raise click.UsageError("--response names a response, and --no-response says that there is none: leave one out")
    person = _person(author)
    home = open_home() if url is None else _home_if_any()
    about = None if alone else response_id or _last(home, person)
    report = _report(text, about, person, link)
    if url is None:
        assert home is not None
        with open_event_log(home) as log:
            publish(log, [report])
    else:
        _send(report, url, wait)
    where = url or f"the log of {home.path if home else ''}"
    click.echo(f"filed report {report.id} in {where}, {f'about response {about}' if about else 'about no response'}")


def _report(text: str, about: str | None, person: str, link: str | None) -> ReportFiled:
    """The event. Raises TerminalError for ids that are none."""
    whole, repaired = repair(text)  # a terminal may pass on bytes that are no characters
    try:
        return ReportFiled(
            id=new_id(),
            source=SOURCE,
            occurred_at=datetime.now(UTC),
            repaired=repaired,
            target=Target(kind="response", id=about) if about else None,
            author=Author(kind="human", id=person),
            kind="dogfood",
            text=whole,
            link=link,
        )
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        raise TerminalError(
            f"{error.title}: {fault['msg']} (got {str(fault['input'])[:60]!r}): give another"
        ) from error


def _person(author: str | None) -> str:
    """Who reports. A login is a name that the product may not know: it is said."""
    if named := author or os.environ.get("FLYWHEEL_PERSON"):
        return named
    try:
        login = getpass.getuser()
    except (KeyError, OSError) as error:
        raise TerminalError(
            "this system has no name for you: say who reports with --author or FLYWHEEL_PERSON"
        ) from error
    click.echo(f"author: {login} (your login; --author or FLYWHEEL_PERSON choose another)", err=True)
    return login


def _home_if_any() -> Home | None:
    """The home to look the response up in. Who sends to a collector needs none."""
    return open_home() if (home_path() / "home.json").exists() else None


def _last(home: Home | None, person: str) -> str | None:
    """The id of the person's last response, told; None, told as well, where none is known."""
    found = last_response(home, person) if home else None
    if found is None:
        known = f"{home.path} knows" if home else "there is no home here that knows"
        click.echo(f"attached: nothing: {known} no response served to {person} or internally (--response ID)", err=True)
        return None
    click.echo(f"attached: {found.told()} (--response ID or --no-response say otherwise)", err=True)
    return found.response_id


def _send(report: ReportFiled, url: str, wait: float) -> None:
    """Through the client. Raises TerminalError where the collector refuses it, TransientError where it is away."""
    refused: dict[str, str] = {}
    try:
        client = Flywheel(url, on_refused=lambda event, reason: refused.update({str(event.get("id")): reason}))
    except ValueError as error:
        raise TerminalError(str(error)) from error
    with client:
        about = report.target.id if report.target else None
        person, at = report.author.id, report.occurred_at
        client.report(report.text, about, person=person, link=report.link, id=report.id, at=at)
        answered = client.flush(wait)
        client.close(wait if answered else 0.0)  # what an earlier report left behind goes, too
    if reason := refused.get(report.id):
        raise TerminalError(f"the collector at {url} refused the report: {reason}")
    if not answered and client.stats.spooled:
        raise TransientError(
            f"the collector at {url} has not taken the report, which waits on this machine: the next flywheel dogfood "
            "with the same URL and key sends it"
        )
    if not answered:
        raise TransientError(f"the collector at {url} has not taken the report: it is not filed, try again")
