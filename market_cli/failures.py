"""Error messages and exit codes."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from pydantic import ValidationError
from typer.exceptions import Abort

from anchor_client.errors import (
    AccountBusy,
    AllowanceSpent,
    ApiRefused,
    DetailsUnavailable,
    GpuMarketError,
    OutcomeUnknown,
    RateLimited,
    RpcRefused,
    TransactionExpired,
)
from local_market.errors import Disagreement, StartFailed
from market_cli.output import print_error

FAILED = 1
WRONG_INPUT = 2
INTERRUPTED = 130
BROKEN_PIPE = 141

RUNTIME_FAILURES = (
    AccountBusy,
    AllowanceSpent,
    ApiRefused,
    DetailsUnavailable,
    Disagreement,
    OutcomeUnknown,
    RateLimited,
    RpcRefused,
    StartFailed,
    TransactionExpired,
)
"""Failures of valid input."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What happened, and what to do about it."""

    kind: str
    message: str
    remedy: str
    exit_code: int


def report(error: BaseException, *, as_json: bool) -> int | None:
    """Prints an error and returns its exit code; None for a bug, which should show its traceback."""
    if isinstance(error, BrokenPipeError):
        return _close_output()
    failure = _explain(error)
    if failure is None:
        return None
    print_error(failure.message, failure.remedy, failure.kind, as_json=as_json)
    return failure.exit_code


def _explain(error: BaseException) -> Failure | None:
    if isinstance(error, BaseExceptionGroup):
        told = [failure for failure in map(_explain, error.exceptions) if failure is not None]
        return told[0] if len(told) == len(error.exceptions) else None
    if isinstance(error, KeyboardInterrupt | Abort):
        return Failure("Interrupted", "Interrupted", "Nothing further was sent.", INTERRUPTED)
    if isinstance(error, GpuMarketError):
        code = FAILED if isinstance(error, RUNTIME_FAILURES) else WRONG_INPUT
        return Failure(type(error).__name__, error.message, error.remedy, code)
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        remedy = "Correct the option, or the variable GPU_MARKET_" + where.upper() + "."
        return Failure("BadSetting", f"The setting {where} is not valid: {first['msg']}", remedy, WRONG_INPUT)
    usage = getattr(error, "format_message", None)
    if usage is not None:
        return Failure("UsageError", usage(), "See `gpu-market COMMAND --help`.", WRONG_INPUT)
    return None


def _close_output() -> int:
    """Lets the process exit quietly after its reader has gone away."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return BROKEN_PIPE
