"""An address for each page, of something that the demo has."""

from tests.dashboards import experiment_tables as experiments

ADDRESSES = {
    "overview": "/",
    "experiments": "/experiments",
    "experiment": f"/experiment?id={experiments.ID}",
    "modes": "/modes",
    "mode": "/mode?id=communication",
    "checkpoints": "/checkpoints",
    "checkpoint": "/checkpoint?id=assistant-a",
    "jobs": "/jobs",
    "feedback": "/feedback",
    "event": "/event?id=hostile%7Cscript",
    "response": "/response?id=r-0001",
}
