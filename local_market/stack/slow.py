"""Says what a start waits for, where it waits long."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

SLOW_SECONDS = 2.0


@contextmanager
def said_if_slow(part: str, say: Callable[[str], None], after: float = SLOW_SECONDS) -> Iterator[None]:
    """Says the part's name once it has taken `after` seconds, and at its end how long it took.

    A thread says it: what is imported or compiled holds up an event loop.
    """
    began = time.monotonic()
    said: list[str] = []

    def tell() -> None:
        said.append(part)
        say(f"{part} …")

    timer = Timer(after, tell)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
    if said:
        say(f"{part} took {time.monotonic() - began:.1f} s")
