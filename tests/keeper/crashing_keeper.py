"""One pass of a keeper that is killed once it has written a transaction down: before it sends it, or right after.

Run as `python crashing_keeper.py before|after` with the settings in the environment.
"""

from __future__ import annotations

import os
import signal
import sys

from keeper.journal import JournalEntry
from keeper.sender import BatchSender, SentBatch, prepared_of
from market_cli.main import run

MOMENT = sys.argv[1]


async def deliver_and_die(self: BatchSender, entry: JournalEntry, *, preflight: bool = True) -> SentBatch:
    """In the place of BatchSender.deliver."""
    if MOMENT == "after":
        await self._sender.broadcast(prepared_of(entry), preflight=preflight)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("killed")


if __name__ == "__main__":
    BatchSender.deliver = deliver_and_die  # type: ignore[method-assign]
    sys.argv[1:] = ["keeper", "--once"]
    run()
