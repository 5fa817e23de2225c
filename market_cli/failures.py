"""Error messages and exit codes."""

from __future__ import annotations

import errno
import logging
import os
import re
import sys
from dataclasses import dataclass

from typer.exceptions import Abort

from anchor_client.errors import (
    AccountBusy,
    AllowanceSpent,
    ApiRefused,
    DetailsUnavailable,
    GpuMarketError,
    ListedInPart,
    OutcomeUnknown,
    RateLimited,
    RpcRefused,
    TransactionExpired,
    UnreachableApi,
    UnreachableRpc,
)
from local_market.errors import Disagreement, StartFailed
from market_cli.errors import MachineLost
from market_cli.exit_codes import BROKEN_PIPE, FAILED, INTERRUPTED, WRONG_INPUT, ReaderGone
from market_cli.output import print_error

INVALID_REQUEST = "invalid_request"
"""The API's name for input that it cannot take."""
FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})

SIGNED = re.compile(r"-[\d.]")

log = logging.getLogger(__name__)

RUNTIME_FAILURES = (
    AccountBusy,
    AllowanceSpent,
    ApiRefused,
    DetailsUnavailable,
    Disagreement,
    ListedInPart,
    MachineLost,
    OutcomeUnknown,
    RateLimited,
    RpcRefused,
    StartFailed,
    TransactionExpired,
    UnreachableApi,
    UnreachableRpc,
)
"""Failures of valid input."""


@dataclass(frozen=True, slots=True)
class PrintedFailure:
    """A printed error: its message and its remedy."""

    kind: str
    message: str
    remedy: str
    exit_code: int


def report(error: BaseException, *, as_json: bool) -> int | None:
    """Prints an error and returns its exit code; None for a bug, whose traceback should show."""
    if isinstance(error, BrokenPipeError | ReaderGone):
        return _close_output()
    failure = _explain(error)
    if failure is None:
        return None
    if isinstance(error, OSError):
        log.info("a file could not be used", exc_info=error)
    print_error(failure.message, failure.remedy, failure.kind, as_json=as_json)
    return failure.exit_code


def _explain(error: BaseException) -> PrintedFailure | None:
    if isinstance(error, BaseExceptionGroup):
        told = [failure for failure in map(_explain, error.exceptions) if failure is not None]
        return told[0] if len(told) == len(error.exceptions) else None
    if isinstance(error, KeyboardInterrupt | Abort):
        return PrintedFailure("Interrupted", "Interrupted", "Nothing further was sent.", INTERRUPTED)
    if isinstance(error, GpuMarketError):
        is_refused_input = isinstance(error, ApiRefused) and error.name == INVALID_REQUEST
        code = FAILED if isinstance(error, RUNTIME_FAILURES) and not is_refused_input else WRONG_INPUT
        return PrintedFailure(type(error).__name__, error.message, error.remedy, code)
    if isinstance(error, OSError):
        return _explain_file(error)
    usage = getattr(error, "format_message", None)
    if usage is not None:
        return PrintedFailure("UsageError", usage(), _usage_remedy(error), WRONG_INPUT)
    return None


def _usage_remedy(error: BaseException) -> str:
    """Remedy for a command line that typer refuses."""
    if SIGNED.fullmatch(getattr(error, "option_name", "")):
        return "A value that begins with - is read as an option; amounts and times are never negative."
    context = getattr(error, "ctx", None)
    return f"See `{'gpu-market' if context is None else context.command_path} --help`."


def _explain_file(error: OSError) -> PrintedFailure | None:
    """A file that cannot be read or written, or output to a full disk; other errors are bugs."""
    reason = error.strerror or str(error)
    if error.filename is not None:
        remedy = "Check that the path exists and that you have access; --verbose shows more."
        if error.errno in FULL:
            remedy = "Free space there."
        return PrintedFailure("FileUnusable", f"{os.fsdecode(error.filename)} cannot be used: {reason}", remedy, FAILED)
    if error.errno not in FULL:
        return None
    _leave_output()
    return PrintedFailure(
        "OutputFull", f"The output cannot be written: {reason}", "Free space at its destination.", FAILED
    )


def _close_output() -> int:
    """Lets the process exit quietly after its reader has gone."""
    _leave_output()
    return BROKEN_PIPE


def _leave_output() -> None:
    """Discards the pending standard output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
