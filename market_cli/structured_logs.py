"""How structlog prints, for commands that run services."""

from __future__ import annotations

import logging
import sys

import structlog


def configure(level: int) -> None:
    """Prints events from a level up on standard error."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )


def narrate() -> None:
    """Prints what a service does: its logs are all that its operator sees of it."""
    logging.getLogger().setLevel(logging.INFO)
    configure(logging.INFO)
