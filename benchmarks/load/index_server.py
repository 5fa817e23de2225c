"""The indexer with its API as a process that says on its first line when it is ready.

`python -m benchmarks.load.index_server RPC_URL WS_URL DATABASE_URL` serves on a free port of loopback until SIGTERM.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys

import structlog

from indexer.main import serve
from indexer.settings import Settings
from local_market.stack.ports import require_free


async def run(rpc_url: str, ws_url: str, database_url: str) -> None:
    """Serves until told to stop."""
    settings = Settings(rpc_url=rpc_url, ws_url=ws_url, database_url=database_url, port=require_free(0, "API"))
    line = json.dumps({"api": f"http://{settings.host}:{settings.port}"})
    serving = asyncio.create_task(serve(settings, ready=lambda: print(line, flush=True)))
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, serving.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await serving


if __name__ == "__main__":
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    asyncio.run(run(*sys.argv[1:]))
