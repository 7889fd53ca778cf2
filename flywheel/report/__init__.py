"""One HTML page that stands alone: the stages of the loop, failure modes, specs and results. No scripts, no network."""
