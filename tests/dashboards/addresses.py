"""An address for each page, of something that the demo has."""

from flywheel.sample.experiment import ID

ADDRESSES = {
    "overview": "/",
    "experiments": "/experiments",
    "experiment": f"/experiment?id={ID}",
    "modes": "/modes",
    "mode": "/mode?id=communication",
    "checkpoints": "/checkpoints",
    "checkpoint": "/checkpoint?id=assistant-a",
    "comparison": "/comparison?id=judge-lexicon-1",
    "evals": "/evals",
    "benchmarks": "/benchmarks",
    "jobs": "/jobs",
    "feedback": "/feedback",
    "event": "/event?id=hostile%7Cscript",
    "response": "/response?id=r-0001",
}
