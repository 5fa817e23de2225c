"""Logs go to standard error: warnings, or everything with --verbose."""

from __future__ import annotations

import logging
import sys

import structlog


def narrate() -> None:
    """Has what happens told on standard error from now on: a service's logs are all that its operator sees of it."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.INFO))


def configure_logs(*, verbose: bool) -> None:
    """Sets up both structlog and the standard library's logging."""
    level = logging.DEBUG if verbose else logging.ERROR
    logging.basicConfig(
        stream=sys.stderr, level=logging.INFO if verbose else logging.ERROR, format="%(name)s: %(message)s"
    )
    for chatty in ("httpx", "httpx2", "alembic"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
