"""`gpu-market`: the market from a terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer

from market_cli.commands import register_commands
from market_cli.failures import close_broken_output, explain
from market_cli.options import remember
from market_cli.output import print_error

app = typer.Typer(
    name="gpu-market",
    help="A non-custodial GPU rental market on Solana.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.callback()(remember)
register_commands(app)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; its exit code: 2 for wrong input, 1 for what failed on the way, 130 when interrupted."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        result = typer.main.get_command(app).main(given, prog_name="gpu-market", standalone_mode=False)
    except BrokenPipeError:
        return close_broken_output()
    except BaseException as error:
        failure = explain(error)
        if failure is None:
            raise
        print_error(failure.message, failure.remedy, failure.kind, as_json="--json" in given)
        return failure.exit_code
    return result if isinstance(result, int) else 0


def run() -> None:
    """The console script."""
    sys.exit(main())
