"""Logs go to standard error: errors, what a service does, or everything with --verbose."""

from __future__ import annotations

import logging
import sys

from market_cli.lazy import load

CHATTY = ("httpx", "httpx2", "alembic")


def configure_logs(*, verbose: bool) -> None:
    """Sets up the standard library's logging, and structlog where the command has imported it."""
    logging.basicConfig(
        stream=sys.stderr, level=logging.INFO if verbose else logging.ERROR, format="%(name)s: %(message)s"
    )
    for chatty in CHATTY:
        logging.getLogger(chatty).setLevel(logging.WARNING)
    if "structlog" in sys.modules:
        load("market_cli.structured_logs:configure")(logging.DEBUG if verbose else logging.ERROR)
