"""The collector as a program, and a sender as patient as a good client: the same ids until there is an answer."""

import time
from typing import Any

import httpx

from tests.faults.stage import PATIENCE_S, Program, Scene, wait_for

BATCH = {"Content-Type": "application/cloudevents-batch+json"}


class Collector:
    """`flywheel serve --open` on a scene's home and log; `restart` gives it another port."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self.program = self._start()

    def post(self, events: list[dict[str, Any]]) -> dict[str, Any] | None:
        """The answer to a batch; None where none came: it may be in the log or not."""
        try:
            response = httpx.post(f"{self._url()}/v1/events", json=events, headers=BATCH, timeout=30)
        except (httpx.HTTPError, LookupError):
            return None
        return response.json() if response.status_code == 202 else None

    def deliver(self, events: list[dict[str, Any]]) -> None:
        """Post until all are accepted or known; they count as accepted from then on."""
        deadline = time.monotonic() + PATIENCE_S
        ids = {event["id"] for event in events}
        while (answer := self.post(events)) is None:
            self._scene.repeated |= ids
            if time.monotonic() > deadline:
                raise TimeoutError("the collector gives no answer")
            time.sleep(0.2)
        assert {event["state"] for event in answer["events"]} <= {"accepted", "duplicate"}, answer
        self._scene.accepted |= ids

    def restart(self) -> None:
        """kill -9, and another on the same home."""
        self.program.kill()
        self.program = self._start()

    def _start(self) -> Program:
        program = self._scene.start("serve", "--open", "--port", "0", "--rate", "0", "--no-access-log")
        wait_for(lambda: "listening on " in program.said or not program.is_running())
        return program

    def _url(self) -> str:
        said = self.program.said.partition("listening on ")[2].split()
        if not said:
            raise LookupError("it is not up")
        return said[0] if said[0].startswith("http") else f"http://{said[0]}"
