"""The bundled sample: what `flywheel demo` feeds where no other input is given. Generated, not collected."""

from flywheel.sample.experiment import experiment_events
from flywheel.sample.feed import feed, feed_experiment
from flywheel.sample.generate import Sample, lines, sample
from flywheel.sample.ledger import Expected

__all__ = ["Expected", "Sample", "experiment_events", "feed", "feed_experiment", "lines", "sample"]
