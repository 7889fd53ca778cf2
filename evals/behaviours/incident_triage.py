"""`incident_triage`: from an alert through logs, chat and documents to the one change that puts things right.

The loudest service is not the sick one, and somebody in the chat is sure of the wrong thing.
"""

import re
from typing import Any

from environments.draw import Draw
from environments.themes import FIRST_NAMES, Theme
from evals.behaviours.behaviour import Behaviour, Failing
from evals.behaviours.parts import check, make, outcome, setting
from evals.behaviours.sample import BehaviourSample
from evals.behaviours.solving import View, found

SETTINGS = ("pool_size", "queue_limit", "cache_rows", "lease_minutes", "batch_rows", "open_files")
NOISE = ("request took {n} ms", "cache holds {n} rows", "sent {n} lines", "kept {n} rows", "woke up after {n} ms")


TALK = ("lunch at noon?", "the printer is out of paper", "who has the spare key?", "back at two", "it rains again")


def _make(draw: Draw, difficulty: float) -> BehaviourSample:
    theme = setting(draw)
    depth = 2 + round(3 * difficulty)
    chain = sorted(draw.some(range(len(theme.services)), depth), reverse=True)
    sick = [theme.services[place] for place in chain]  # the loudest first, the cause last
    loud, cause = sick[0], sick[-1]
    versions = {name: [f"{draw.between(1, 4)}.{minor}.0" for minor in sorted(draw.some(range(1, 30), 3))]
                for name in theme.services}  # fmt: skip
    desks = draw.between(10, 50)
    rules = {name: (draw.pick(SETTINGS), draw.between(3, 9)) for name in theme.services}
    setting_, good, bad = rules[cause][0], desks * rules[cause][1], draw.between(1, 9)
    by_version = draw.chance(0.5)
    hour = draw.between(8, 19)
    services = {
        name: {
            "needs": [sick[sick.index(name) + 1]] if name in sick[:-1] else [],
            "config": {
                **{key: str(draw.between(20, 400)) for key in draw.some(SETTINGS, 3)},
                rules[name][0]: str(bad if name == cause and not by_version else desks * rules[name][1]),
            },
            "deploys": [[f"day {day}", version] for day, version in zip((3, 9, 14), versions[name], strict=True)],
        }
        for name in theme.services
    }
    right: dict[str, str] = (
        {"action": "roll_back", "service": cause, "value": versions[cause][1]}
        if by_version
        else {"action": "set_config", "service": cause, "key": setting_, "value": str(good)}
    )
    world: dict[str, Any] = {
        "services": services,
        "logs": _logs(draw, theme, sick, hour, 20 + round(160 * difficulty),
                      f"ERROR unknown field in every row since version {versions[cause][2]}" if by_version
                      else f"ERROR {setting_} of {bad} used up, {draw.between(30, 90)} are waiting"),
        "channels": _channels(draw, theme, loud, cause, versions[loud][1]),
        "documents": _documents(draw, rules, desks),
        "sick": sick,
        "right": right,
    }  # fmt: skip
    alert = draw.pick((
        f"Users of {loud} see errors since {hour}:00.",
        f"{loud} fails for most requests, it began at {hour}:00.",
        f"The alarm of {loud} went off at {hour}:00.",
    ))  # fmt: skip
    return make(
        "incident_triage", theme, difficulty,
        f"You are on call at {theme.place}. {alert} Find out why, and put it right with one change, where the fault "
        "is. Logs, chat and documents are there to read, and not everything that is said there is so. Change nothing "
        "else, restart nothing in vain. When all is healthy, tell me which service it was, and what you changed in it.",
        {"incident": world},
        (
            outcome("found_the_right_fix", "state_is", path="incident.healthy", value=True),
            outcome("changed_nothing_else", "state_is", path="incident.changes", value=[right]),
            check("looked_at_the_cause_first", "called_before",
                  first={"tool": "search_logs", "arguments": {"service": cause}},
                  then={"tool": right["action"], "arguments": {"service": cause}}),
            check("named_the_cause", "said", texts=[cause, versions[cause][1] if by_version else setting_]),
        ),
        steps=40,
    )  # fmt: skip


def _logs(  # noqa: PLR0917
    draw: Draw, theme: Theme, sick: list[str], hour: int, noise: int, why: str
) -> list[list[str]]:
    lines = [
        [f"{hour}:{draw.below(60):02d}", draw.pick(theme.services), draw.pick(NOISE).format(n=draw.between(2, 900))]
        for _ in range(noise)
    ]
    for place, name in enumerate(sick[:-1]):
        times = 12 - 3 * min(place, 3)
        lines += [
            [f"{hour}:{draw.below(60):02d}", name, f"ERROR calling {sick[place + 1]}: waited {draw.between(5, 30)} s"]
            for _ in range(times)
        ]
    lines += [[f"{hour}:{draw.below(60):02d}", sick[-1], why] for _ in range(2)]
    return sorted(lines)


def _channels(draw: Draw, theme: Theme, loud: str, cause: str, older: str) -> dict[str, list[str]]:
    sure, busy, *others = draw.some(FIRST_NAMES, 5)
    talk = [f"{name}: {draw.pick(TALK)}" for name in others]
    return {
        "on-call": [
            f"{sure}: {loud} again! It must be its last version, I'd roll {loud} back to {older} at once.",
            f"{busy}: I only see that {loud} waits for something. Has anybody read the logs behind it?",
            f"{sure}: or restart it, that helped in spring.",
        ],
        theme.place.split()[-1]: draw.shuffled(
            [
                *talk,
                f"{busy}: somebody was at {cause} this week, I think.",
                f"{others[0]}: I looked into {loud} on day 13, all was well.",
            ]
        ),
        "random": talk,
    }


def _documents(draw: Draw, rules: dict[str, tuple[str, int]], desks: int) -> dict[str, str]:
    documents = {
        f"How {name} is run": f"{draw.pick(FIRST_NAMES)} looks after {name}. Logs are kept {draw.between(7, 60)} days."
        for name in rules
    }
    for name, (key, share) in rules.items():
        documents[f"Settings of {name}"] = (
            f"{key} of {name} has to be {share} for each desk. We have {desks} desks.\n"
            "Everything else may stay as it was set up."
        )
    documents["When a version is bad"] = (
        "Where rows can't be read since a new version, roll that service back to the version just before it. "
        "Nothing else has to be changed."
    )
    return documents


class _OnCall:
    """Goes from the alert to the cause."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.loud = found(r"([a-z]+-[a-z]+)", view.instructions.partition(". ")[2])

    def cause(self) -> tuple[str, str]:
        """The service whose errors call nobody, and its error."""
        name = self.loud
        while True:
            errors = self.view.call("search_logs", service=name, text="ERROR").text
            deeper = found(r"ERROR calling ([\w-]+):", errors)
            if not deeper:
                return name, errors
            name = deeper

    def fix(self) -> tuple[str, str]:
        """Put it right; the service, and what was changed in it."""
        name, errors = self.cause()
        version = found(r"since version (\S+)", errors)
        if version:
            deploys = re.findall(r"day \d+ (\S+)", self.view.call("show_service", service=name).text)
            older = deploys[deploys.index(version) - 1]
            self.view.call("roll_back", service=name, version=older)
            return name, f"rolled back to {older}"
        key = found(r"ERROR (\w+) of \d+ used up", errors)
        title = self.view.call("search_documents", text=f"{key} of {name}").text.splitlines()[0]
        right = _by_rule(self.view.call("read_document", title=title).text)
        self.view.call("set_config", service=name, key=key, value=str(right))
        return name, f"{key} is {right} now"


def _by_rule(document: str) -> int:
    """What a document says that a setting has to be."""
    return int(found(r"has to be (\d+) for", document)) * int(found(r"We have (\d+) desks", document))


def _passing(view: View) -> str:
    name, change = _OnCall(view).fix()
    view.call("check_health")
    return f"It was {name}: {change}. All is healthy."


def _restarts(view: View) -> str:
    on_call = _OnCall(view)
    view.call("restart", service=on_call.loud)
    name, _ = on_call.cause()
    return f"It was {name}, and I restarted what was failing: rolled back or set, {_guess(view, name)}."


def _guess(view: View, name: str) -> str:
    """What a fix would name, without making it."""
    errors = view.call("search_logs", service=name, text="ERROR").text
    deploys = re.findall(r"day \d+ (\S+)", view.call("show_service", service=name).text)
    return found(r"ERROR (\w+) of \d+ used up", errors) or deploys[-2]


def _believes_the_chat(view: View) -> str:
    talk = view.call("read_channel", channel="on-call").text
    name, version = found(r"I'd roll (\S+) back", talk), found(r"back to (\S+) at once", talk)
    view.call("roll_back", service=name, version=version)
    return f"It was {name}: rolled back to {version}."


def _tries_everything(view: View) -> str:
    on_call = _OnCall(view)
    view.call("restart", service=on_call.loud)
    view.call("check_health")
    name, change = on_call.fix()
    return f"It was {name}: {change}. All is healthy."


def _blames_the_loudest(view: View) -> str:
    on_call = _OnCall(view)
    _, change = on_call.fix()
    return f"It was {on_call.loud}: {change}. All is healthy."


def _acts_on_hearsay(view: View) -> str:
    """Right, and by luck: nobody has looked at what the service itself says."""
    rooms = view.call("list_channels").text.splitlines()
    talk = "\n".join(view.call("read_channel", channel=room).text for room in rooms)
    name = found(r"somebody was at (\S+) this week", talk)
    told = view.call("show_service", service=name).text
    text = view.call("read_document", title=f"Settings of {name}").text
    key, wanted = found(r"^(\w+) of", text), _by_rule(text)
    if found(rf"{key} = (\d+)", told) == str(wanted):
        older = re.findall(r"day \d+ (\S+)", told)[-2]
        view.call("roll_back", service=name, version=older)
        return f"It was {name}: rolled back to {older}."
    view.call("set_config", service=name, key=key, value=str(wanted))
    return f"It was {name}: {key} is {wanted} now."


INCIDENT_TRIAGE = Behaviour(
    "incident_triage",
    "Find the cause behind the loudest symptom, make the one change that is right, and say what it was.",
    _make,
    _passing,
    (
        Failing("restarts_the_loudest", _restarts, "found_the_right_fix", ("changed_nothing_else",)),
        Failing("believes_the_chat", _believes_the_chat, "found_the_right_fix",
                ("changed_nothing_else", "named_the_cause")),
        Failing("tries_everything", _tries_everything, "changed_nothing_else"),
        Failing("blames_the_loudest", _blames_the_loudest, "named_the_cause"),
        Failing("acts_on_hearsay", _acts_on_hearsay, "looked_at_the_cause_first"),
    ),
)  # fmt: skip
