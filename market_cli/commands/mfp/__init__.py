"""`gpu-market mfp`: market tokens locked against the extra fee."""

import typer

from market_cli.commands.mfp.lock import lock
from market_cli.commands.mfp.show import show
from market_cli.commands.mfp.unlock import unlock
from market_cli.commands.mfp.withdraw import withdraw

mfp_app = typer.Typer(
    help="Lock market tokens: with enough for every GPU point, orders in other tokens carry no extra fee.",
    no_args_is_help=True,
)
for _command in (show, lock, unlock, withdraw):
    mfp_app.command(_command.__name__)(_command)
