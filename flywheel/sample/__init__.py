"""The bundled sample: what `flywheel demo` feeds where no other input is given. Generated, not collected."""

from flywheel.sample.feed import feed
from flywheel.sample.generate import Sample, lines, sample
from flywheel.sample.ledger import Expected

__all__ = ["Expected", "Sample", "feed", "lines", "sample"]
