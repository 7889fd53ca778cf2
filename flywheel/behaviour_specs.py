"""Behaviour evals of the modes that users complain of: the evidence is theirs, the samples are generated.

Samples come from the spec's key, so that they stay when the evidence grows. Where models have mastered them and the
eval was retired, the next has fresh and harder ones.
"""

from collections.abc import Sequence

import polars as pl

from evals.behaviours.generate import generate
from evals.behaviours.registry import behaviour
from evals.behaviours.sample import BehaviourSample
from ingest.reader import Ask
from models.specs import Args, EvalSpec, ScorerSpec
from transforms.specs.candidates import Candidate
from transforms.specs.publish import BEHAVIOUR
from transforms.specs.sets import EPISODES, freeze

SAMPLES = 40
QUERY = "sync_behaviour_specs"
ORIGIN = "flywheel/behaviours"


def behaviour_candidates(ask: Ask, taxonomy: str) -> list[Candidate]:
    """A spec for each mode that is ready, with its frozen samples. Raises TerminalError for an unknown behaviour."""
    ready = ask(f"select spec_key, mode_id, behaviours, hardened from {QUERY} where ready order by spec_key").rows
    return [_candidate(ask, str(key), str(mode), str(names), int(times), taxonomy) for key, mode, names, times in ready]


def _candidate(ask: Ask, key: str, mode: str, names: str, times: int, taxonomy: str) -> Candidate:  # noqa: PLR0917
    evidence = ask("select event_key from int_behaviour_evidence where mode_id = ?", [mode]).rows
    hard = hardness(times)
    data, content = freeze(rows(samples_for(key, names.split("+"), SAMPLES, hard, times), mode), EPISODES)
    args: Args = {"behaviour": names}
    if hard is not None:
        args["difficulty"] = hard
    spec = EvalSpec(
        key=key,
        mode_id=mode,
        evidence=tuple(sorted(str(event_key) for (event_key,) in evidence)),
        data=data,
        query=QUERY,
        taxonomy=taxonomy,
        role="policy",
        scorer=ScorerSpec(name=BEHAVIOUR, args=args),
    )
    return Candidate(spec, content)


def hardness(times: int) -> float | None:
    """The difficulty after an eval was mastered so often; None, which is all difficulties in turn, at first."""
    return min(1.0, 0.5 + 0.25 * times) if times else None


def samples_for(
    key: str, names: Sequence[str], n: int = SAMPLES, difficulty: float | None = None, look: int = 0
) -> list[BehaviourSample]:
    """`n` samples of the behaviours in equal parts, the first ones with one more; those of another `look` are fresh."""
    seed = f"{key}#{look}"
    share, more = divmod(n, len(names))
    return [
        sample
        for place, name in enumerate(names)
        for sample in generate(behaviour(name), seed, share + (place < more), difficulty)
    ]


def rows(samples: Sequence[BehaviourSample], mode: str | None) -> pl.DataFrame:
    """A frozen set's rows: each sample whole, under the key of an event that never was."""
    return pl.DataFrame(
        {
            "sample_id": [f"{ORIGIN}|{sample.sample_id}" for sample in samples],
            "mode_id": [mode] * len(samples),
            "episode": [sample.model_dump_json() for sample in samples],
        },
        schema=EPISODES,
    )
