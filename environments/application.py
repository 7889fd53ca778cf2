"""An application to ship: builds with suites of checks, two stages with their health, and a report to write.

Left out: time that passes, and users.
"""

from typing import Any

from pydantic import BaseModel, ConfigDict

from environments.part import Arguments, Tool, text, tool, wrong
from environments.world import Answer

STAGES = ("staging", "production")


class Health(BaseModel):
    """What a stage shows while a build runs there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    errors: str
    """Per cent of requests, as text, so that it is said as it stands."""
    slowest: str
    """Milliseconds of the slowest twentieth."""


class Built(BaseModel):
    """A build."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    checks: dict[str, tuple[int, tuple[str, ...]]]
    """By suite: how many passed, and which failed."""
    staging: Health
    production: Health


class Given(BaseModel):
    """What the part is made from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    builds: tuple[Built, ...]
    """The newest first."""
    running: str
    """The build that both stages run at first; it can't be shipped."""
    ran: Health


class Application:
    """Builds that can be checked, deployed and reported on."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._given = Given.model_validate(given)
        self._builds = {build.name: build for build in self._given.builds}
        self._runs: dict[str, list[str]] = {stage: [self._given.running] for stage in STAGES}
        self._report: str | None = None

    def tools(self) -> list[Tool]:
        """See `Part.tools`."""
        return [
            tool("list_builds", "All builds, the newest first, and the suites of checks.", self._list),
            tool("run_checks", "Run one suite of checks on a build.", self._check, build="string", suite="string"),
            tool("deploy", "Let a stage (staging or production) run a build.", self._deploy,
                 build="string", stage="string"),
            tool("check_health", "Errors and slowness of a stage now.", self._health, stage="string"),
            tool("roll_back", "Let a stage run what it ran before.", self._roll_back, stage="string"),
            tool("write_report", "Write the report; the last one counts.", self._write, text="string"),
        ]  # fmt: skip

    def dormant(self) -> list[Tool]:
        """See `Part.dormant`."""
        return []

    def state(self) -> Any:
        """What each stage runs, all that it ever ran, and the report."""
        runs = {stage: runs[-1] for stage, runs in self._runs.items()}
        return {**runs, "runs": {stage: list(each) for stage, each in self._runs.items()}, "report": self._report}

    def _list(self, arguments: Arguments) -> Answer:
        del arguments
        suites = dict.fromkeys(suite for build in self._given.builds for suite in build.checks)
        return Answer(f"builds: {', '.join(self._builds)}\nsuites: {', '.join(suites)}")

    def _check(self, arguments: Arguments) -> Answer:
        name, suite = text(arguments, "build"), text(arguments, "suite")
        if name not in self._builds:
            return self._no_build(name)
        if suite not in self._builds[name].checks:
            return wrong(f"there is no suite {suite!r}; there are: {', '.join(self._builds[name].checks)}")
        passed, failed = self._builds[name].checks[suite]
        return Answer(f"{passed} passed, {len(failed)} failed" + "".join(f"\nfailed: {each}" for each in failed))

    def _deploy(self, arguments: Arguments) -> Answer:
        name, stage = text(arguments, "build"), text(arguments, "stage")
        if name not in self._builds:
            return self._no_build(name)
        if stage not in STAGES:
            return _no_stage(stage)
        self._runs[stage].append(name)
        return Answer(f"{stage} runs {name}")

    def _health(self, arguments: Arguments) -> Answer:
        stage = text(arguments, "stage")
        if stage not in STAGES:
            return _no_stage(stage)
        build = self._builds.get(self._runs[stage][-1])
        health = self._given.ran if build is None else build.staging if stage == "staging" else build.production
        return Answer(f"{stage} runs {self._runs[stage][-1]}\nerrors: {health.errors} %\nslowest: {health.slowest} ms")

    def _roll_back(self, arguments: Arguments) -> Answer:
        stage = text(arguments, "stage")
        if stage not in STAGES:
            return _no_stage(stage)
        runs = self._runs[stage]
        if len(runs) < 2:
            return wrong(f"{stage} ran nothing before {runs[-1]}")
        runs.append(runs[-2])
        return Answer(f"{stage} runs {runs[-1]} again")

    def _write(self, arguments: Arguments) -> Answer:
        self._report = text(arguments, "text")
        return Answer("the report is written")

    def _no_build(self, name: str) -> Answer:
        return wrong(f"there is no build {name!r} to ship; there are: {', '.join(self._builds)}")


def _no_stage(stage: str) -> Answer:
    return wrong(f"there is no stage {stage!r}; there are: {', '.join(STAGES)}")
