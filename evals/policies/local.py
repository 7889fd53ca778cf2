"""A transformers checkpoint in a folder of this machine: who asks at the same time is answered in one batch.

A batch is padded on the left, and each row draws with a generator of its own, so that an answer depends on what stands
beside it by the last bits of its logits alone; where two tokens are that close, another one can win. Left out:
quantised weights, several GPUs, and log-probabilities.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import Any, NamedTuple

import torch
import transformers

from environments.world import Offer
from evals.policies.conversation import Conversation
from evals.policies.decoding import Row, Said, decode, ends_of
from evals.policies.policy import Policy, Reply, Usage
from evals.policies.settings import LocalEntry
from evals.policies.spoken import calls_in
from models.errors import FlywheelError, TerminalError, TransientError
from models.events.rollout import Step
from models.ids import digest

MAX_TOKENS = 512
"""Of a reply, where nobody says how many."""
SMALL = 10_000_000
"""Weights below which a model runs on one thread: several would wait for each other longer than they work."""
GATHER_S = 0.005
"""Who comes within so many seconds of the first goes into the same batch."""


class _Wanted(NamedTuple):
    row: Row
    answered: Event
    answer: list["tuple[Said, float] | FlywheelError"]
    """What was said, and the seconds that its batch took."""


class LocalPolicy:
    """A policy, and a model under test: a folder as transformers write it, with a tokenizer.

    Raises TerminalError where the folder can't be loaded.
    """

    priced = False

    def __init__(self, folder: Path, *, name: str, settings: LocalEntry | None = None) -> None:
        self.name = name
        self._settings = settings or LocalEntry()
        self.parallel = self._settings.parallel
        quiet = transformers.utils.logging
        quiet.disable_progress_bar()
        loaders: Any = transformers
        try:
            self._tokenizer: Any = loaders.AutoTokenizer.from_pretrained(folder, local_files_only=True)
            model: Any = loaders.AutoModelForCausalLM.from_pretrained(
                folder, local_files_only=True, trust_remote_code=False
            )
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            raise TerminalError(
                f"checkpoint {name} in {folder} can't be loaded: {str(error).splitlines()[0]}"
            ) from error
        self._model = model.to("cuda" if torch.cuda.is_available() else "cpu").eval()
        self._conversation = Conversation(self._tokenizer, self._settings.system)
        self._longest = int(getattr(self._model.config, "max_position_embeddings", None) or 1 << 20)
        self._ends = ends_of(self._model, self._tokenizer)
        self._queue: SimpleQueue[_Wanted | None] = SimpleQueue()
        self._closed, self._lock = False, Lock()
        self._small = sum(weights.numel() for weights in self._model.parameters()) < SMALL
        Thread(target=self._serve, name=f"policy {name}", daemon=True).start()

    def at(self, sample_id: str, trial: int) -> Policy:
        """See `UnderTest.at`: sampling is seeded by both."""
        return _Seeded(self, int(digest([sample_id, trial])[:15], 16))

    def close(self) -> None:
        """Take no more; who waits already is answered."""
        with self._lock:
            self._closed = True
            self._queue.put(None)

    def reply(self, steps: Sequence[Step], tools: Sequence[Offer], seconds: float) -> Reply:
        """See `Policy.reply`."""
        return self.ask(steps, tools, seconds, 0)

    def ask(self, steps: Sequence[Step], tools: Sequence[Offer], seconds: float, seed: int) -> Reply:
        """`reply`, drawn with `seed` (and the number of the step) where the temperature is over 0."""
        tokens = self._conversation.tokens(steps, tools)
        if len(tokens) >= self._longest:
            raise TerminalError(
                f"checkpoint {self.name} takes {self._longest} tokens, and this conversation has {len(tokens)}"
            )
        until = time.monotonic() + seconds
        limit = min(self._settings.max_tokens or MAX_TOKENS, self._longest - len(tokens))
        wanted = _Wanted(Row(tokens, limit, int(digest([seed, len(steps)])[:15], 16), until), Event(), [])
        with self._lock:
            if self._closed:
                raise TransientError(f"checkpoint {self.name} was closed")
            self._queue.put(wanted)
        if not wanted.answered.wait(seconds):
            raise TransientError(f"checkpoint {self.name} gives no reply in {seconds:.0f} s")
        if isinstance(wanted.answer[0], FlywheelError):
            raise wanted.answer[0]
        given, took = wanted.answer[0]
        text: str = self._tokenizer.decode(given.tokens, skip_special_tokens=True)
        rest, calls = calls_in(text, len(steps)) if tools else (text, ())
        usage = Usage(len(tokens), len(given.tokens), None, round(took, 4))
        return Reply(rest, calls, usage, "length" if given.cut_off else "stop")

    def _serve(self) -> None:
        threads = torch.get_num_threads()
        torch.set_num_threads(1 if self._small else threads)
        try:
            self._answer_all()
        finally:
            torch.set_num_threads(threads)

    def _answer_all(self) -> None:
        while (first := self._queue.get()) is not None:
            batch, more = self._gathered(first)
            self._answer([wanted for wanted in batch if wanted.row.until > time.monotonic()])
            if not more:
                return

    def _answer(self, batch: Sequence[_Wanted]) -> None:
        if not batch:
            return
        began = time.monotonic()
        answers: list[tuple[Said, float] | FlywheelError]
        try:
            rows = [wanted.row for wanted in batch]
            found = decode(self._model, rows, self._ends, self._settings.temperature or 0.0)
            took = time.monotonic() - began
            late = TransientError(f"checkpoint {self.name} gives no reply in time")
            answers = [late if each.cut_off is None else (each, took) for each in found]
        except (RuntimeError, MemoryError) as error:
            if len(batch) > 1:  # no memory for all of them at once, as a rule
                for wanted in batch:
                    self._answer([wanted])
                return
            answers = [TransientError(f"checkpoint {self.name} failed: {error}")]
        for wanted, answer in zip(batch, answers, strict=True):
            wanted.answer.append(answer)
            wanted.answered.set()

    def _gathered(self, first: _Wanted) -> tuple[list[_Wanted], bool]:
        """Who is answered together; False: nobody comes after them."""
        batch = [first]
        until = time.monotonic() + GATHER_S
        while len(batch) < self.parallel:
            try:
                wanted = self._queue.get(timeout=max(0.0, until - time.monotonic()))
            except Empty:
                break
            if wanted is None:
                return batch, False
            batch.append(wanted)
        return batch, True


class _Seeded:
    """One attempt."""

    def __init__(self, policy: LocalPolicy, seed: int) -> None:
        self.name, self._policy, self._seed = policy.name, policy, seed

    def reply(self, steps: Sequence[Step], tools: Sequence[Offer], seconds: float) -> Reply:
        """See `Policy.reply`."""
        return self._policy.ask(steps, tools, seconds, self._seed)
