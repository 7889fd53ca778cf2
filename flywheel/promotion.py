"""Promotion, composed: the log's results, the plan, fresh samples, jobs on them, and the decision as an event."""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Literal, NamedTuple

import polars as pl

from evals.promotion.bars import HACK_MARGIN, Promise, promises
from evals.promotion.planning import confirmation, gap_name, known, plan_from, plan_of, samples_of
from evals.promotion.scores import Scores, gap_looks, looks, mean, scores
from evals.promotion.standing import Standing, confirmations, standing
from ingest.home import Home
from ingest.jobs.board import Board
from ingest.jobs.queue import job_queued
from ingest.log import EventLog, publish
from models.errors import TerminalError
from models.events.checkpoint import CheckpointPromoted, CheckpointRefused, CheckpointRegistered, Finding
from models.events.spec import EvalSpecIssued
from models.ids import event_id
from models.specs import Confirmation, EvalSpec
from stats.eval_power import Clusters
from stats.gate import Found, Plan, confirm, screen
from stats.gate_plan import Wanted
from stats.lineage import spent
from stats.paired import Attempt, Difference
from transforms.specs.publish import issue
from transforms.specs.sets import EPISODES, freeze, keep

SOURCE = "flywheel/checkpoints"
FEWEST = 200
"""Fresh samples that are made at the least to see how they lie in clusters."""


class Drawn(NamedTuple):
    """Fresh samples."""

    rows: pl.DataFrame
    """As a frozen set has them."""
    clusters: tuple[str, ...]
    """Of each row; its own name where it is drawn for itself."""


Fresh = Callable[[EvalSpecIssued, str, int], Drawn | None]
"""(eval, seed, how many) -> samples that no look has seen; None where the eval has no source of them."""


class Asked(NamedTuple):
    """One candidate, and what is asked of it beside its own promise."""

    checkpoint_id: str
    improve: tuple[str, ...] = ()
    fall: Mapping[str, float] = {}
    wanted: Wanted = Wanted()
    hack_margin: float = HACK_MARGIN
    most: int = 5_000
    """Fresh samples an eval that a team is ready to pay for."""


class Told(NamedTuple):
    """What came of asking once."""

    outcome: Literal["promoted", "refused", "waiting"]
    said: str
    findings: tuple[Finding, ...] = ()
    jobs: tuple[str, ...] = ()
    """That must be done before it can be decided."""


def promote(home: Home, log: EventLog, asked: Asked, fresh: Fresh) -> Told:
    """Take the next step: open a confirmation, or decide the one that is open. Appends what was decided.

    Asking again while jobs are to do changes nothing. Raises TerminalError where results, evals or samples are missing.
    """
    with home.lock("specs"):
        board = Board(log)
        board.refresh()
        checkpoint = board.checkpoints.get(asked.checkpoint_id)
        if checkpoint is None:
            raise TerminalError(
                f"no checkpoint {asked.checkpoint_id!r} counts; those that do: {', '.join(board.checkpoints) or 'none'}"
            )
        now = standing(board, checkpoint.role)
        if now.champion_id == checkpoint.checkpoint_id:
            raise TerminalError(f"{checkpoint.checkpoint_id} is the champion of its role ({checkpoint.role}) already")
        if now.champion_id is None:
            return _first(log, checkpoint, now)
        case = _Case(home, log, board, checkpoint, now, now.champion_id, asked, fresh)
        opened = case.opened()
        return case.decide(opened) if opened else case.begin()


def _first(log: EventLog, checkpoint: CheckpointRegistered, now: Standing) -> Told:
    event = CheckpointPromoted(
        id=event_id("promoted", checkpoint.checkpoint_id, now.lineage), source=SOURCE,
        checkpoint_id=checkpoint.checkpoint_id, role=checkpoint.role, lineage=now.lineage, place=0, spent=0.0,
    )  # fmt: skip
    publish(log, [event])
    return Told("promoted", f"{checkpoint.checkpoint_id} is the first champion: there was nobody to compare it with")


class _Case(NamedTuple):
    """A candidate before a champion."""

    home: Home
    log: EventLog
    board: Board
    checkpoint: CheckpointRegistered
    now: Standing
    champion_id: str
    asked: Asked
    fresh: Fresh

    def opened(self) -> list[EvalSpecIssued]:
        """The specs of the candidate's last confirmation in this lineage, unless that is decided."""
        mine = confirmations(self.board, self.now.lineage, self.checkpoint.checkpoint_id)
        place = max((each.spec.confirms.place for each in mine if each.spec.confirms), default=0)
        decided = any(
            each.checkpoint_id == self.checkpoint.checkpoint_id
            and (each.lineage, each.place) == (self.now.lineage, place)
            for each in self.board.decisions
        )
        return [] if decided else [each for each in mine if each.spec.confirms and each.spec.confirms.place == place]

    def begin(self) -> Told:
        """Screen what there is, and open a confirmation where that is worth its samples."""
        promised = promises(self.board, self.checkpoint, self.asked.improve, self.asked.fall)
        live = self._live_scores(promised)
        place = self.now.opened + 1
        drawn = {each.key: self.fresh(each.issued, f"{self.now.lineage}/{place}/try", FEWEST) for each in promised}
        for each in promised:
            if each.kind == "improves" and drawn[each.key] is None:
                raise TerminalError(
                    f"{each.key} has no source of fresh samples, on which a promotion could be confirmed: let the "
                    "checkpoint promise an eval of a behaviour (flywheel specs list), or say --improve KEY"
                )
        others = self._other_scores(promised)
        pairs = {each.key: others[each.key] or [live[each.key]] for each in promised}
        plan = plan_of(
            self.asked.wanted, place, promised, live=live,
            parts={key: known([(a.strict, b.strict) for a, b in each]) for key, each in pairs.items()},
            gap_parts={key: known([(a.without_gap, b.without_gap) for a, b in each]) for key, each in pairs.items()},
            fresh={each.key: _clusters(drawn[each.key], live[each.key]) for each in promised},
            hack_margin=self.asked.hack_margin,
        )  # fmt: skip
        stopped = self._screen(plan, next(each for each in promised if each.kind == "improves"), live)
        if stopped:
            return stopped
        if plan.undecidable:
            bar, why = plan.undecidable[0]
            return self._refuse(0, f"{bar.name}: {why}")
        return self._open(promised, plan)

    def _screen(self, plan: Plan, first: Promise, live: Mapping[str, tuple[Scores, Scores]]) -> Told | None:
        mine, theirs = live[first.key]
        if plan.screen is None:
            return None
        screened = screen(plan, looks(mine, theirs, plan.screen.samples))
        if screened.verdict != "stop" or screened.standing is None:
            return None
        at = screened.standing
        finding = Finding(
            bar="improves", spec_key=first.key, spec_id=first.issued.spec_id, against=self.champion_id,
            value=_round(mean(mine.strict)), other=_round(mean(theirs.strict)), difference=_round(at.last.value),
            low=_round(at.low), high=_round(at.high), level=plan.screen.level, samples=at.last.samples,
            clusters=at.last.clusters, holds=False, reason=screened.reason,
        )  # fmt: skip
        return self._refuse(0, screened.reason, (finding,))

    def _open(self, promised: Sequence[Promise], plan: Plan) -> Told:
        """Take the place: specs with fresh samples, and jobs for both checkpoints."""
        plans = [
            confirmation(
                plan, each, checkpoint_id=self.checkpoint.checkpoint_id, champion_id=self.champion_id,
                lineage=self.now.lineage, hack_margin=self.asked.hack_margin,
            )
            for each in promised
        ]  # fmt: skip
        for each in plans:
            if samples_of(each) > self.asked.most:
                raise TerminalError(
                    f"to see {100 * plan.difference:g} points on {each.eval_key} at place {plan.place} takes "
                    f"{samples_of(each)} fresh samples, more than --most {self.asked.most}: raise it, or look for a "
                    "greater --difference"
                )
        specs = [self._frozen(each, planned) for each, planned in zip(promised, plans, strict=True)]
        issued = [issue(spec, 1) for spec in specs]
        queued = [
            job_queued("eval", event.spec_id, name)
            for event in issued
            for name in (self.checkpoint.checkpoint_id, self.champion_id)
        ]
        publish(self.log, issued)
        publish(self.log, queued)
        counts = ", ".join(f"{spec.data.rows} of {each.key}" for spec, each in zip(specs, promised, strict=True))
        said = (
            f"confirmation {plan.place} of {self.now.lineage} is open, at level {plan.level:.4g} with power "
            f"{plan.power:.0%}: {counts}, each {self.asked.wanted.attempts} times, by "
            f"{self.checkpoint.checkpoint_id} and by {self.champion_id}"
        )
        return Told("waiting", said, jobs=tuple(job.job_id for job in queued))

    def _frozen(self, promise: Promise, plan: Confirmation) -> EvalSpec:
        """The spec of the samples that confirm; of a guardrail without a source of fresh ones, the live ones."""
        drawn = self.fresh(
            promise.issued, f"{plan.lineage}/{plan.place}/{self.checkpoint.checkpoint_id}", samples_of(plan)
        )
        changed: dict[str, object] = {
            "key": f"confirm:{promise.key}:{plan.lineage}/{plan.place}",
            "trials": self.asked.wanted.attempts,
            "confirms": plan,
        }
        if drawn:
            data, content = freeze(drawn.rows, EPISODES)
            keep(self.home, data, content)
            changed |= {"data": data, "query": "fresh samples"}
        return promise.issued.spec.model_copy(update=changed)

    def decide(self, opened: Sequence[EvalSpecIssued]) -> Told:
        """The decision on an open confirmation, or which of its jobs are still to do."""
        ids = {each.spec_id for each in opened}
        jobs = [job for job in self.board.jobs.values() if job.spec_id in ids]
        undone = [job for job in jobs if job.status != "completed"]
        lost = [job for job in undone if job.status == "failed"]
        if lost:
            raise TerminalError(
                f"job {lost[0].job_id} of the confirmation failed for good ({lost[0].reason}): mend it, then "
                f"flywheel evals run {lost[0].spec_id} --checkpoint {lost[0].checkpoint_id}"
            )
        if undone:
            said = f"{len(undone)} of {len(jobs)} jobs of the confirmation are not done: flywheel evals serve --once"
            return Told("waiting", said, jobs=tuple(job.job_id for job in undone))
        found = scores(self.board, {(job.spec_id, str(job.checkpoint_id)) for job in jobs})
        seen: dict[str, list[Difference]] = {}
        sides: dict[str, _Sides] = {}
        plans = [each.spec.confirms for each in opened if each.spec.confirms]
        for event, plan in zip(opened, plans, strict=True):
            pair = [found.get((event.spec_id, name)) for name in (plan.checkpoint_id, plan.champion_id)]
            mine, theirs = (each or Scores((), ()) for each in pair)
            sides[plan.eval_key] = _Sides(event, mine.strict, theirs.strict)
            seen[plan.eval_key] = looks(mine, theirs, plan.looks)
            if plan.hack_margin is not None:
                sides[gap_name(plan.eval_key)] = _Sides(event, mine.gap, theirs.gap)
                seen[gap_name(plan.eval_key)] = gap_looks(mine, theirs, plan.hack_looks)
        for bar, each in seen.items():
            if not each:
                raise TerminalError(
                    f"{bar}: no fresh sample has a score of both checkpoints, so nothing can be compared; what went "
                    "wrong is in fct_eval_samples (fault, explanation)"
                )
        verdict = confirm(plan_from(plans), seen)
        findings = tuple(self._finding(each, sides[each.bar.name]) for each in verdict.found)
        place = plans[0].place
        if verdict.outcome != "promote":
            return self._refuse(place, verdict.reason, findings, verdict.more_samples)
        event = CheckpointPromoted(
            id=event_id("promoted", self.checkpoint.checkpoint_id, self.now.lineage), source=SOURCE,
            checkpoint_id=self.checkpoint.checkpoint_id, role=self.checkpoint.role, replaces=self.champion_id,
            lineage=self.now.lineage, place=place, spent=round(spent(place), 12), evidence=findings,
        )  # fmt: skip
        publish(self.log, [event])
        said = f"{self.checkpoint.checkpoint_id} replaces {self.champion_id}: {verdict.reason}"
        return Told("promoted", said, findings)

    def _refuse(
        self, place: int, reason: str, findings: tuple[Finding, ...] = (), more_samples: int | None = None
    ) -> Told:
        event = CheckpointRefused(
            id=event_id("refused", self.checkpoint.checkpoint_id, self.now.lineage, place, self.now.opened),
            source=SOURCE, checkpoint_id=self.checkpoint.checkpoint_id, role=self.checkpoint.role,
            champion_id=self.champion_id, lineage=self.now.lineage, place=place, spent=round(self.now.spent, 12),
            evidence=findings, reason=reason, more_samples=more_samples,
        )  # fmt: skip
        publish(self.log, [event])
        return Told("refused", reason, findings)

    def _finding(self, found: Found, sides: "_Sides") -> Finding:
        at = found.standing
        plan = sides.issued.spec.confirms
        return Finding(
            bar="confirmed" if found.bar.kind == "improves" else found.bar.kind,
            spec_key=plan.eval_key if plan else sides.issued.spec_key, spec_id=sides.issued.spec_id,
            against=self.champion_id, value=_round(mean(sides.mine)), other=_round(mean(sides.theirs)),
            difference=_round(at.last.value), low=_round(at.low), high=_round(at.high), level=found.level,
            margin=found.bar.margin, samples=at.last.samples, clusters=at.last.clusters, holds=found.holds,
            more_samples=found.more_samples, reason=found.reason,
        )  # fmt: skip

    def _live_scores(self, promised: Sequence[Promise]) -> dict[str, tuple[Scores, Scores]]:
        """By eval key. Raises TerminalError naming who has no result on what."""
        names = (self.checkpoint.checkpoint_id, self.champion_id)
        found = scores(self.board, {(each.issued.spec_id, name) for each in promised for name in names})
        missing = [
            f"{name} on {each.key}" for each in promised for name in names if (each.issued.spec_id, name) not in found
        ]
        if missing:
            raise TerminalError(
                f"no result yet of {'; '.join(missing)}: flywheel specs publish && flywheel evals serve --once"
            )
        mine, theirs = names
        return {each.key: (found[each.issued.spec_id, mine], found[each.issued.spec_id, theirs]) for each in promised}

    def _other_scores(self, promised: Sequence[Promise]) -> dict[str, list[tuple[Scores, Scores]]]:
        """By eval key, what other candidates scored beside the champion: what variances are planned by."""
        names = [
            each.checkpoint_id
            for each in self.board.checkpoints.values()
            if each.role == self.checkpoint.role
            and each.checkpoint_id not in (self.checkpoint.checkpoint_id, self.champion_id)
        ]
        everybody = (*names, self.champion_id)
        found = scores(self.board, {(each.issued.spec_id, name) for each in promised for name in everybody})
        return {
            each.key: [
                (found[each.issued.spec_id, name], found[each.issued.spec_id, self.champion_id])
                for name in names
                if (each.issued.spec_id, name) in found
            ]
            for each in promised
        }


class _Sides(NamedTuple):
    issued: EvalSpecIssued
    mine: tuple[Attempt, ...]
    theirs: tuple[Attempt, ...]


def _clusters(drawn: Drawn | None, live: tuple[Scores, Scores]) -> Clusters:
    """How samples lie in clusters: as those that were drawn do; a number that doesn't grow with them is fixed."""
    if drawn is None:
        of = {each.sample: each.cluster or each.sample for each in live[0].strict}
        number = len(set(of.values()))
        return Clusters(len(of) / max(number, 1), number)
    half, whole = len(set(drawn.clusters[: len(drawn.clusters) // 2])), len(set(drawn.clusters))
    return Clusters(len(drawn.clusters) / whole, whole if whole < 1.2 * half else None)


def _round(value: float | None) -> float | None:
    """Nine digits; None where there is no number, which JSON has no word for."""
    return round(value, 9) if value is not None and isfinite(value) else None
