"""Logs to standard error: errors, a service's work, or everything with --verbose."""

from __future__ import annotations

import logging
import sys

from anchor_client.service.redaction import scrub
from market_cli.lazy import load


class Scrubbing(logging.Formatter):
    """Formats a record and its trace, with endpoints' secrets redacted and nothing that a terminal obeys."""

    def format(self, record: logging.LogRecord) -> str:
        return str(load("market_cli.plain_text:printable")(scrub(super().format(record))))


def configure_logs(*, verbose: bool) -> None:
    """Sets up the standard library's logging, and structlog where the command has imported it."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Scrubbing("%(name)s: %(message)s"))
    logging.basicConfig(handlers=[handler], level=logging.INFO if verbose else logging.ERROR)
    if "structlog" in sys.modules:
        load("market_cli.structured_logs:configure")(logging.DEBUG if verbose else logging.ERROR)
