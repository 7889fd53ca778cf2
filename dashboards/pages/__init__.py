"""The pages, one file and one template each. A new one: its file with a `PAGE`, its template, a line here."""

from dashboards.page import Page
from dashboards.pages import (
    benchmarks,
    checkpoint,
    checkpoints,
    comparison,
    evals,
    event,
    experiment,
    experiments,
    feedback,
    jobs,
    mode,
    modes,
    overview,
    response,
)

PAGES: tuple[Page, ...] = (
    overview.PAGE,
    experiments.PAGE,
    experiment.PAGE,
    modes.PAGE,
    mode.PAGE,
    checkpoints.PAGE,
    checkpoint.PAGE,
    comparison.PAGE,
    evals.PAGE,
    benchmarks.PAGE,
    jobs.PAGE,
    feedback.PAGE,
    event.PAGE,
    response.PAGE,
)
"""In the order of the menu."""
