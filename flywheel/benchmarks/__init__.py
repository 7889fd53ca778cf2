"""Private benchmarks, composed of tasks, failure modes, specs and jobs: what `flywheel bench` calls."""
