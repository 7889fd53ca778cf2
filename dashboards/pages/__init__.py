"""The pages, one file and one template each. A new one: its file with a `PAGE`, its template, a line here."""

from dashboards.page import Page
from dashboards.pages import experiment, experiments, overview

PAGES: tuple[Page, ...] = (overview.PAGE, experiments.PAGE, experiment.PAGE)
"""In the order of the menu."""
