"""`gpu-market stake`: market tokens at work."""

import typer

from market_cli.commands.stake.add import add
from market_cli.commands.stake.claim import claim
from market_cli.commands.stake.close import close
from market_cli.commands.stake.compound import compound
from market_cli.commands.stake.fund import fund
from market_cli.commands.stake.remove import remove
from market_cli.commands.stake.show import show
from market_cli.commands.stake.withdraw import withdraw

stake_app = typer.Typer(
    help="Stake market tokens: lower fees, more rentals at a time, priority, and a share of the fees.",
    no_args_is_help=True,
)
for _command in (show, add, remove, withdraw, close, claim, compound, fund):
    stake_app.command(_command.__name__)(_command)
