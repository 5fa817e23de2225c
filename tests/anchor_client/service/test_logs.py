"""Lines of services' logs."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from anchor_client.service.log_format import LogFormat
from market_cli import structured_logs
from market_cli.plain_text import printable

SECRET = "9f8e7d6c5b4a39281706f5e4d3c2b1a0"
RAISING = """
import logging
import structlog
from anchor_client.service.log_format import LogFormat
from anchor_client.service.logs import configure_service_logs

def connect(password):
    raise RuntimeError("it cannot be sent")

configure_service_logs(logging.INFO, LogFormat({form!r}))
for tell in (structlog.get_logger().exception, logging.getLogger("other").exception):
    try:
        connect("".join({letters!r}))
    except RuntimeError:
        tell("told")
"""


@pytest.mark.parametrize("form", LogFormat)
def test_traceback__function_with_a_secret__is_told_without_it(form: LogFormat) -> None:
    script = RAISING.format(form=form.value, letters=list(SECRET))
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stderr.count("it cannot be sent") == 2 and ran.stderr.count("in connect") == 2
    assert SECRET not in ran.stderr


HOSTILE = "\x1b[2J\x1b]0;owned\x07\u202egnp\rhost_removed"
TELLING = """
import logging
import structlog
from anchor_client.service.log_format import LogFormat
from anchor_client.service.logs import configure_service_logs
from market_cli.logs import configure_logs

hostile = {hostile!r}
lines = "first" + chr(10) + hostile

def tell():
    for log in (structlog.get_logger(), logging.getLogger("other")):
        log.error(lines)
        try:
            raise ValueError(lines)
        except ValueError:
            log.exception("failed", stack_info=True)

configure_service_logs(logging.INFO, LogFormat({form!r}))
tell()
structlog.get_logger().info("event", text=hostile, words=hostile + " and more", texts=[hostile], lines=lines)
logging.getLogger().handlers.clear()
configure_logs(verbose=True)
logging.getLogger("other").error(hostile)
"""


@pytest.mark.parametrize("form", LogFormat)
def test_text_of_others__in_a_log__controls_no_terminal(form: LogFormat) -> None:
    script = TELLING.format(form=form.value, hostile=HOSTILE)
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    told = ran.stderr.decode()
    assert printable(told) == told and "owned" in told and "\r" not in told
    assert "Traceback (most recent call last)" in told and "Stack (most recent call last)" in told


@pytest.mark.parametrize("service", ["indexer.run", "services.api", "keeper.run", "host.run"])
def test_service__each__logs_by_this(service: str) -> None:
    assert import_module(f"market_cli.commands.{service}").narrate is structured_logs.narrate
