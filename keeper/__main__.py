"""python -m keeper: a keeper as a process, set up by GPU_MARKET_ environment variables."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sys
from collections.abc import Sequence

import structlog
from pydantic import ValidationError

from anchor_client.errors import BadKeyFile, GpuMarketError, WrongEndpoint
from anchor_client.pacing import background, stop_on_signals
from keeper.errors import KeeperConfigurationError
from keeper.loop import run_once, run_service
from keeper.settings import KeeperSettings

CONFIGURATION_EXIT = 2
CONFIGURATION_ERRORS = (KeeperConfigurationError, BadKeyFile, WrongEndpoint)


async def serve(settings: KeeperSettings) -> None:
    """Runs the service until SIGINT or SIGTERM; prints when it is ready, and its summary at the end."""
    ready, stop = asyncio.Event(), stop_on_signals()
    async with background(_announce(ready)):
        summary = await run_service(settings, ready=ready, stop=stop)
    print(json.dumps({"stopped": True, **summary.as_dict()}), flush=True)


async def once(settings: KeeperSettings) -> int:
    """Runs one pass and prints its summary; the exit code."""
    summary = await run_once(settings)
    print(summary.to_json(), flush=True)
    return summary.exit_code


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit code: 0, 1 if something due could not be ended or the node is away, 2 for wrong settings."""
    parser = argparse.ArgumentParser(prog="keeper", description="Ends rentals that are due, for their tips.")
    parser.add_argument("--once", action="store_true", help="end what is due now, print a JSON summary and exit")
    options = parser.parse_args(arguments)
    _log_to_stderr()
    try:
        settings = KeeperSettings()
        if options.once:
            return asyncio.run(once(settings))
        asyncio.run(serve(settings))
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors())
        return _fail(f"The settings are wrong: {problems}", CONFIGURATION_EXIT)
    except GpuMarketError as error:
        code = CONFIGURATION_EXIT if isinstance(error, CONFIGURATION_ERRORS) else 1
        return _fail(f"{error.message}. {error.remedy}", code)
    return 0


async def _announce(ready: asyncio.Event) -> None:
    await ready.wait()
    print(json.dumps({"ready": True}), flush=True)


def _fail(message: str, code: int) -> int:
    print(f"keeper: {message}", file=sys.stderr)
    return code


def _log_to_stderr() -> None:
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.processors.JSONRenderer(),
        ],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


if __name__ == "__main__":
    sys.exit(main())
