"""One pass of a keeper that is killed once it has written a transaction down: before it sends it, or right after.

Run as `python crashing_keeper.py before|after` with the settings in the environment.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys

from keeper.journal import JournalEntry
from keeper.loop import run_once
from keeper.sender import BatchSender, SentBatch, prepared_of
from keeper.settings import KeeperSettings


async def deliver_and_die(self: BatchSender, entry: JournalEntry, *, preflight: bool = True) -> SentBatch:
    """In the place of BatchSender.deliver."""
    if sys.argv[1] == "after":
        await self._sender.broadcast(prepared_of(entry), preflight=preflight)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("killed")


if __name__ == "__main__":
    BatchSender.deliver = deliver_and_die  # type: ignore[method-assign]
    asyncio.run(run_once(KeeperSettings()))
