"""Charts as pictures that stand in a page's HTML: made behind, kept, and there for the next who asks.

A page never waits for one: until it is made, the reader's browser draws the chart itself.
"""

import json
import logging
from collections import OrderedDict
from hashlib import sha256
from queue import Empty, Full, Queue
from threading import Event, Lock, Thread

from markupsafe import Markup

from dashboards.chart import Spec
from dashboards.picture import svg

KEPT = 256
WAITING = 64
"""Pictures that are still to be made; more are asked for again by the next view."""
WIDTH = 1_080
"""Pixels: about as wide as a page, so that letters have their size. Narrow pages draw their own."""

_logger = logging.getLogger("flywheel.dashboards")


class Pictures:
    """Pictures by what they show; safe to share between threads."""

    def __init__(self) -> None:
        self._made: OrderedDict[str, Markup] = OrderedDict()
        self._lock = Lock()
        self._wanted: Queue[tuple[str, Spec]] = Queue(WAITING)
        self._ended = Event()
        self._thread = Thread(target=self._run, name="pictures", daemon=True)

    def start(self) -> None:
        """Begin to make what is wanted."""
        self._thread.start()

    def stop(self) -> None:
        """End, and wait for the one that is being made."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(timeout=30)

    def find(self, spec: Spec) -> Markup | None:
        """The picture of a chart, or None: then it is made for the next view. Its texts are escaped by Vega."""
        key = sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()
        with self._lock:
            if key in self._made:
                self._made.move_to_end(key)
                return self._made[key]
        try:
            self._wanted.put_nowait((key, spec))
        except Full:
            return None
        return None

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                key, spec = self._wanted.get(timeout=0.5)
            except Empty:
                continue
            with self._lock:
                if key in self._made:
                    continue
            try:
                made = Markup(svg(spec, width=WIDTH))
            except ValueError as error:  # what Vega-Lite says of a spec; the browser's console says it, too
                _logger.warning("a chart can't be drawn: %s", error)
                continue
            with self._lock:
                self._made[key] = made
                while len(self._made) > KEPT:
                    self._made.popitem(last=False)
