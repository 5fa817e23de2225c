"""Logs of the commands that run services."""

from __future__ import annotations

import logging

from anchor_client.service.log_format import LogFormat
from anchor_client.service.logs import configure_service_logs
from market_cli.session import CliSession


def configure(level: int) -> None:
    """Prints events from a level up on standard error, for people."""
    configure_service_logs(level, LogFormat.CONSOLE)


def narrate(session: CliSession, form: LogFormat | None) -> None:
    """Prints a service's events: its logs are its operator's only view of it."""
    configure_service_logs(logging.DEBUG if session.flags.verbose else logging.INFO, form)
