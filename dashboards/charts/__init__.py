"""Charts as Vega-Lite, one a file: rows of a mart in, a `Chart` out, with its sentence and its numbers."""
