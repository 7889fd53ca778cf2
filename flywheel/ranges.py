"""Numbers of options that have to be numbers: click's own range lets `nan` through, which is in every range."""

import math
from typing import Any

import click


class Between(click.FloatRange):
    """A finite number from `min` to `max`, both included; None leaves a side open."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number. Fails with click's own error, one line and exit status 2."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is no finite number: give one in the range {self._describe_range()}.", param, ctx)
        return number

    def _describe_range(self) -> str:
        return "any number" if self.min is None and self.max is None else super()._describe_range()
