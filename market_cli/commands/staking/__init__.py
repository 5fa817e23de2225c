"""`gpu-market staking`: market tokens at work."""

import typer

from market_cli.commands.staking.add import add
from market_cli.commands.staking.claim import claim
from market_cli.commands.staking.close import close
from market_cli.commands.staking.compound import compound
from market_cli.commands.staking.fund import fund
from market_cli.commands.staking.remove import remove
from market_cli.commands.staking.show import show
from market_cli.commands.staking.withdraw import withdraw

staking_app = typer.Typer(
    help="Stake market tokens: lower fees, more rentals at a time, priority, and a share of the fees.",
    no_args_is_help=True,
)
for _command in (show, add, remove, withdraw, close, claim, compound, fund):
    staking_app.command(_command.__name__)(_command)
