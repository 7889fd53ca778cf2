"""From a registered checkpoint to a model that can be asked: an endpoint, a local folder, or what it once answered."""

import os
from collections.abc import Sequence

from evals.policies.endpoint import EndpointPolicy
from evals.policies.policy import UnderTest
from evals.policies.recorded import Recorded, completions, from_file
from evals.policies.register import METHOD, digest_of
from evals.policies.settings import FILE, AnswersEntry, EndpointEntry, LocalEntry, entries
from ingest.home import Home
from ingest.jobs.samples import Sample
from models.errors import TerminalError
from models.events.checkpoint import CheckpointRegistered

SERVED = "served"
"""The method of a checkpoint that a product runs: its completions came with its feedback."""


def is_recorded(home: Home, checkpoint: CheckpointRegistered) -> bool:
    """Whether nothing is asked now, but the completions that came with the feedback are scored."""
    return checkpoint.checkpoint_id not in entries(home) and checkpoint.method == SERVED


def open_policy(home: Home, checkpoint: CheckpointRegistered, samples: Sequence[Sample] = ()) -> UnderTest:
    """The checkpoint, ready to be asked; close it afterwards. What `policies.yml` of the home says comes first.

    Else one that is `served` gives its own completions out of `samples`, and one with a folder is loaded from there.
    Raises TerminalError where it can't be asked in any of these ways, or its folder or key is missing.
    """
    name = checkpoint.checkpoint_id
    entry = entries(home).get(name)
    if isinstance(entry, EndpointEntry):
        return _endpoint(name, entry)
    if isinstance(entry, AnswersEntry):
        return from_file(name, home.path / entry.answers)
    if entry is None and checkpoint.method == SERVED:
        return completions(name, samples)
    if checkpoint.path is None:
        raise TerminalError(
            f"checkpoint {name} (method {checkpoint.method}) has no folder, and {home.path / FILE} doesn't say how it "
            f"is asked: give it an entry there with `url` and `model`, or with `answers`"
        )
    folder = home.path / checkpoint.path
    if not (folder / "config.json").exists():
        raise TerminalError(
            f"checkpoint {name} has no config.json in {folder}: copy its folder there, or give it an entry with `url` "
            f"in {home.path / FILE}"
        )
    if checkpoint.method == METHOD and (found := digest_of(folder)) != checkpoint.artifact_sha256:
        raise TerminalError(
            f"checkpoint {name} in {folder} is not what was registered: SHA-256 {found}, not "
            f"{checkpoint.artifact_sha256}. Restore it, or register it under another name"
        )
    from evals.policies.local import LocalPolicy  # noqa: PLC0415 - transformers take seconds to import

    return LocalPolicy(folder, name=name, settings=entry if isinstance(entry, LocalEntry) else LocalEntry())


class Opener:
    """Opens policies of `home`; the local one that was opened last stays loaded, since its next eval comes at once."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._key = ""
        self._loaded: UnderTest | None = None

    def open(self, checkpoint: CheckpointRegistered, samples: Sequence[Sample]) -> UnderTest:
        """See `open_policy`. Closing a local one leaves it loaded, until another is opened."""
        entry = entries(self._home).get(checkpoint.checkpoint_id)
        key = f"{checkpoint.model_dump_json()} {entry!r}"
        if self._loaded is not None and key == self._key:
            return _Kept(self._loaded)
        if self._loaded is not None:
            self._loaded.close()
            self._loaded = None
        opened = open_policy(self._home, checkpoint, samples)
        if isinstance(opened, EndpointPolicy | Recorded):
            return opened
        self._key, self._loaded = key, opened
        return _Kept(opened)


class _Kept:
    """A model that stays loaded."""

    def __init__(self, under: UnderTest) -> None:
        self.name, self.parallel, self.priced, self.at = under.name, under.parallel, under.priced, under.at

    def close(self) -> None:
        """Whoever opened it closes it."""


def _endpoint(name: str, entry: EndpointEntry) -> EndpointPolicy:
    key = None
    if entry.key_env is not None:
        key = os.environ.get(entry.key_env)
        if not key:
            raise TerminalError(
                f"the key of checkpoint {name} is in no environment variable {entry.key_env}: set it where the worker "
                "runs"
            )
    told = {"max_tokens": entry.max_tokens, "temperature": entry.temperature}
    return EndpointPolicy(
        entry.url,
        entry.model,
        name=name,
        key=key,
        extra={**{field: value for field, value in told.items() if value is not None}, **entry.extra},
        system=entry.system,
        tries=entry.tries,
        seconds=entry.seconds,
        parallel=entry.parallel,
        prices=entry.usd_per_million,
        requests_per_minute=entry.requests_per_minute,
        tokens_per_minute=entry.tokens_per_minute,
        seeded=entry.seeded,
    )
