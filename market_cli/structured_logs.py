"""How structlog prints, for commands that run services."""

from __future__ import annotations

import logging
import sys

import structlog
from structlog.typing import EventDict, WrappedLogger

from anchor_client.redaction import scrub

_renderer = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())


def configure(level: int) -> None:
    """Prints events from a level up on standard error."""
    structlog.configure(
        processors=[*structlog.get_config()["processors"][:-1], _print],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )


def _print(logger: WrappedLogger, name: str, event: EventDict) -> str:
    """A line for people, without the secrets of endpoints."""
    return scrub(str(_renderer(logger, name, event)))


def narrate() -> None:
    """Prints what a service does: its logs are all that its operator sees of it."""
    logging.getLogger().setLevel(logging.INFO)
    configure(logging.INFO)
