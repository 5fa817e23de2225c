"""`gpu-market`: the market from a terminal."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from types import TracebackType

import typer

from market_cli.commands import PANELS
from market_cli.exit_codes import INTERRUPTED, RemoteExit
from market_cli.lazy import LazyGroup, commands_of, load
from market_cli.options import remember

app = typer.Typer(
    name="gpu-market",
    cls=LazyGroup,
    help="A non-custodial GPU rental market on Solana.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.callback()(remember)


def command() -> LazyGroup:
    """The whole command line, without importing its commands."""
    root: LazyGroup = typer.main.get_command(app)  # type: ignore[assignment]
    for panel, paths in PANELS.items():
        root.commands.update(commands_of([f"market_cli.commands.{path}" for path in paths], panel))
    return root


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code: 2 for invalid input, 1 for a runtime failure, 130 if interrupted, and
    a remote command's own code if one has run.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        result = command().main(given, prog_name="gpu-market", standalone_mode=False)
        if result == INTERRUPTED:  # all that typer leaves of a KeyboardInterrupt
            raise KeyboardInterrupt
    except RemoteExit as ended:
        return ended.code
    except BaseException as error:
        code = load("market_cli.failures:report")(error, as_json="--json" in given)
        if code is None:
            raise
        return int(code)
    return result if isinstance(result, int) else 0


def _print_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    load("anchor_client.service.redaction:print_traceback")(kind, error, trace)


def run() -> None:
    """The console script."""
    sys.excepthook = _print_traceback
    code = main()
    gc.freeze()  # or the interpreter's last collection visits all that has been imported, a tenth of a second
    sys.exit(code)
