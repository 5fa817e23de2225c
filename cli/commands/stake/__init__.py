"""`gpu-market stake`: market tokens at work."""

import typer

from cli.commands.stake.add import add
from cli.commands.stake.claim import claim
from cli.commands.stake.close import close
from cli.commands.stake.compound import compound
from cli.commands.stake.fund import fund
from cli.commands.stake.remove import remove
from cli.commands.stake.show import show
from cli.commands.stake.withdraw import withdraw

stake_app = typer.Typer(
    help="Stake market tokens: lower fees, more rentals at a time, priority, and a share of the fees.",
    no_args_is_help=True,
)
for _command in (show, add, remove, withdraw, close, claim, compound, fund):
    stake_app.command(_command.__name__)(_command)
