"""Hostile payloads through the collector and the parser: no server error, no crash, and every event accounted for.

    python -m benchmarks.fuzz [--quick] [--payloads N] [--seed N] [--json FILE]

Each payload goes through the collector (as ASGI, in this process), the parser, and the sink's reading of a record. At
the end the log has exactly what was accepted, all of it lands in the lake as events, and the collector's own counters
agree. schemathesis adds what it makes of the OpenAPI document, and checks the answers against it. No peer: nobody
else's collector promises this.
"""

import argparse
import importlib
import json
import random
import re
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import Any, cast

import httpx
from hypothesis import HealthCheck, Phase, given, seed, settings

from benchmarks.asgi import Driver, Got, Sent, driving
from benchmarks.hostile import corpus_request, thought_of
from ingest.collector import Settings, collector_app
from ingest.collector.cloud_events import STRUCTURED
from ingest.collector.keys import create
from ingest.home import Home
from ingest.lake.segments import read, segments
from ingest.log import EventLog, Record, open_log, replay
from ingest.sink import Sink, rows
from models.errors import BadEvent
from models.events import HEADERS, dump, parse
from models.events.cloudevents import Headers

AT_ONCE = 100
MOMENT = datetime(2026, 11, 3, 12, tzinfo=UTC)
PER_EXAMPLE = 20
SCHEMA_SHARE = 0.02
HYPOTHESIS_SHARE = 0.15


class Account:
    """What was sent, what became of it, and every finding."""

    def __init__(self, driver: Driver) -> None:
        self.payloads = 0
        self.events: Counter[str] = Counter()
        self.statuses: Counter[int] = Counter()
        self.accepted: set[tuple[str, str]] = set()
        self.server_errors: list[str] = []
        self.crashes: list[str] = []
        self.unaccounted: list[str] = []
        self.otlp_rejected = 0
        self._driver = driver

    def send(self, requests: Sequence[Sent]) -> list[Got]:
        """Through parser, sink and collector."""
        self.payloads += len(requests)
        self._read(requests)
        answers = self._driver.ask(requests)
        for request, answer in zip(requests, answers, strict=True):
            self._answered(request, answer)
        return answers

    def _read(self, requests: Sequence[Sent]) -> None:
        records: list[Record] = []
        for request in requests:
            headers = tuple((name.decode("latin-1").replace("ce-", "ce_"), value) for name, value in request.headers)
            for named in (HEADERS, headers):
                self._parse(request, named)
            records.append(Record("feedback", 0, 0, None, request.body, headers, MOMENT))
        try:
            landed = rows(records, "feedback")
        except Exception as error:
            self.crashes.append(f"sink: {error!r:.200} for {requests!r:.2000}")
        else:
            if landed.height != len(records):
                self.unaccounted.append(f"{len(records)} records were {landed.height} rows: {requests!r:.2000}")

    def _parse(self, request: Sent, headers: Headers) -> None:
        try:
            event = parse(request.body, headers)
            if event.topic in ("responses", "feedback"):
                dump(event)
        except BadEvent as error:
            if "\n" in str(error) or not str(error):
                self.crashes.append(f"a reason that is not one line: {str(error)!r} for {request!r:.500}")
        except Exception as error:
            self.crashes.append(f"parser: {error!r:.200} for {request!r:.500}")

    def _answered(self, request: Sent, answer: Got) -> None:
        self.statuses[answer.status] += 1
        if answer.status == 0 or answer.status >= 500:
            self.server_errors.append(f"{answer.status} {answer.body[:300]!r} for {request!r:.1000}")
            return
        if request.method != "POST" or not request.path.startswith("/v1/"):
            return
        try:
            said: Any = json.loads(answer.body)
        except ValueError:
            self.unaccounted.append(f"an answer that is no JSON: {answer.body[:200]!r} for {request!r:.500}")
            return
        if "events" in said:
            self._states(request, said)
        elif not (request.path == "/v1/logs" and answer.status == 200) and not (
            said.get("reason") or said.get("message")
        ):
            self.unaccounted.append(f"{answer.status} without a reason for {request!r:.500}")

    def _states(self, request: Sent, said: Any) -> None:
        counts = Counter(event["state"] for event in said["events"])
        if any(counts[state] != said[state] for state in ("accepted", "duplicate", "refused")):
            self.unaccounted.append(f"sums that differ: {said!r:.300} for {request!r:.500}")
        for event in said["events"]:
            if event["state"] == "refused" and not event.get("reason"):
                self.unaccounted.append(f"refused without a reason: {event!r:.300} for {request!r:.500}")
            if event["state"] == "accepted":
                self.accepted.add((event["source"], event["id"]))
        if (expected := _length(request)) is not None and {event["index"] for event in said["events"]} != expected:
            self.unaccounted.append(f"events without an answer: {said!r:.300} for {request!r:.500}")
        self.events += counts


def _length(request: Sent) -> set[int] | None:
    """Places of a batch, where it is one that anybody can count."""
    named = dict(request.headers)
    single = named.get(b"content-type", b"").startswith(STRUCTURED.encode())
    if single or b"content-encoding" in named or b"ce-specversion" in named:
        return None
    try:
        body: object = json.loads(request.body.decode())
    except (ValueError, RecursionError):
        return None
    return set(range(len(cast(list[Any], body)))) if isinstance(body, list) else None


def main(given: Sequence[str] | None = None) -> None:
    """Send them all, then count. `given`: arguments in the place of the command line's."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--quick", action="store_true", help="4,000 payloads")
    parser.add_argument("--payloads", type=int, help="default: 200,000")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args(given)
    wanted = arguments.payloads or (4_000 if arguments.quick else 200_000)
    began = perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        home = Home.open(Path(folder) / "home")
        with open_log(None, home.path) as log:
            with driving(collector_app(home, log, Settings(), keyless=True)) as driver:
                account = Account(driver)
                _hypothesis(account, int(wanted * HYPOTHESIS_SHARE), arguments.seed)
                mismatches = _schemathesis(account, driver, int(wanted * SCHEMA_SHARE), arguments.seed)
                _corpus(account, wanted - account.payloads, arguments.seed)  # the others give a little less than asked
                counted = driver.ask([Sent("/metrics", ((b"host", b"127.0.0.1"),), b"", "GET")])[0].body.decode()
            _locked_out(account, home, log, arguments.seed)
            records = _compare(account, log, home, counted)
    figures: dict[str, Any] = {
        "payloads": account.payloads,
        "server_errors": len(account.server_errors),
        "crashes": len(account.crashes),
        "unaccounted": len(account.unaccounted),
        "schema_mismatches": len(mismatches),
        **{state: account.events[state] for state in ("accepted", "duplicate", "refused")},
        "records": records,
        "seconds": round(perf_counter() - began, 1),
    }
    for name, value in figures.items():
        print(f"{name:18} {value:>10,}")
    print(
        "statuses           " + ", ".join(f"{status}: {count:,}" for status, count in sorted(account.statuses.items()))
    )
    for finding in (account.server_errors + account.crashes + account.unaccounted + mismatches)[:20]:
        print(f"FOUND {finding}", file=sys.stderr)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n")


def _corpus(account: Account, wanted: int, seeded: int) -> None:
    chance = random.Random(seeded)
    for start in range(0, wanted, AT_ONCE):
        account.send([corpus_request(chance, start + place) for place in range(min(AT_ONCE, wanted - start))])


def _hypothesis(account: Account, wanted: int, seeded: int) -> None:
    @seed(seeded)
    @settings(
        max_examples=max(1, wanted // PER_EXAMPLE),
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    )
    @given(thought_of())
    def run(requests: list[Sent]) -> None:
        account.send(requests)

    run()


def _schemathesis(account: Account, driver: Driver, wanted: int, seeded: int) -> list[str]:
    """Requests from the OpenAPI document, right and wrong ones, and what of the answers differs from it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        requests: Any = importlib.import_module("requests")
        schemathesis: Any = importlib.import_module("schemathesis")
        known: Any = importlib.import_module("schemathesis.specs.openapi.checks")
    (got,) = driver.ask([Sent("/schema/openapi.json", ((b"host", b"127.0.0.1"),), b"", "GET")])
    schema: Any = schemathesis.openapi.from_dict(json.loads(got.body))
    checks = [known.status_code_conformance, known.content_type_conformance, known.response_schema_conformance]
    mismatches: list[str] = []
    operations = [found.ok() for found in schema.get_all_operations()]
    posts = [operation for operation in operations if operation.method.upper() == "POST"]
    modes = schemathesis.GenerationMode
    for operation in posts:
        for mode in (modes.POSITIVE, modes.NEGATIVE):

            @seed(seeded)
            @settings(
                max_examples=max(1, wanted // len(posts) // 2),
                database=None,
                deadline=None,
                phases=[Phase.generate],
                suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
            )
            @given(operation.as_strategy(generation_mode=mode))
            def run(case: Any) -> None:
                prepared: Any = requests.Request(**case.as_transport_kwargs(base_url="http://127.0.0.1")).prepare()
                body = prepared.body or b""
                named = [(name.lower(), value) for name, value in prepared.headers.items()]
                headers = [(_bytes(name), _bytes(value)) for name, value in named if name != "host"]
                request = Sent(
                    case.path, ((b"host", b"127.0.0.1"), *headers), body if isinstance(body, bytes) else body.encode()
                )
                (answer,) = account.send([request])
                asked = httpx.Request("POST", f"http://127.0.0.1{case.path}")
                response = httpx.Response(answer.status, headers=answer.headers, content=answer.body, request=asked)
                response.elapsed = timedelta(0)
                try:
                    case.validate_response(response, checks=checks)
                except Exception as error:
                    mismatches.append(f"{case.path}: {str(error)[:600]}")

            run()
    return mismatches


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "replace")


def _locked_out(account: Account, home: Home, log: EventLog, seeded: int) -> None:
    """Where keys are asked for, and one is there, none of this gets in."""
    create(home, "web", "web", ("feedback",))
    chance = random.Random(seeded)
    with driving(collector_app(home, log, Settings(), keyless=False)) as driver:
        for start in range(0, 500, AT_ONCE):
            requests = [corpus_request(chance, start + place) for place in range(AT_ONCE)]
            for request, answer in zip(requests, driver.ask(requests), strict=True):
                if answer.status in (0, 200, 202) and request.method == "POST" and request.path.startswith("/v1/"):
                    account.unaccounted.append(f"{answer.status} without a key for {request!r:.500}")
                if answer.status == 0 or answer.status >= 500:
                    account.server_errors.append(f"{answer.status} {answer.body[:300]!r} for {request!r:.500}")


def _compare(account: Account, log: EventLog, home: Home, counted: str) -> int:
    """The log has what was accepted and nothing else, it lands as events, and the counters say the same. Records."""
    there: Counter[tuple[str, str]] = Counter()
    for topic in log.topics():
        for record in replay(log, topic):
            event = parse(record.value, record.headers)
            there[event.source, event.id] += 1
    account.unaccounted += [f"accepted and not in the log: {key}" for key in account.accepted - set(there)]
    account.unaccounted += [f"in the log {count} times: {key}" for key, count in there.items() if count > 1]
    from_otlp = set(there) - account.accepted
    records = sum(there.values())
    accepted, answered = _metric(counted, "accepted"), account.events["accepted"]
    if accepted != records or accepted - answered != len(from_otlp):
        account.unaccounted.append(f"{accepted} counted, {answered} answered beside OTLP's, {records} in the log")
    Sink(log, home).drain()
    for topic in log.topics():
        for folder in (home.lake / topic).iterdir():
            if not folder.name.isdigit():
                continue
            for file in segments(home, topic, int(folder.name)):
                errors = read(file)["error"].drop_nulls().to_list()
                account.unaccounted += [f"accepted and quarantined: {error}" for error in errors]
    return records


def _metric(text: str, state: str) -> int:
    found = re.findall(rf'^flywheel_collector_events_total{{state="{state}",.*}} (.*)$', text, re.MULTILINE)
    return int(sum(map(float, found)))


if __name__ == "__main__":
    main()
