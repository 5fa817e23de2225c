"""`gpu-market wallet`: the key that signs, and what it holds."""

import typer

from cli.commands.wallet.airdrop import airdrop
from cli.commands.wallet.new import new
from cli.commands.wallet.quota import quota
from cli.commands.wallet.show import show

wallet_app = typer.Typer(help="The wallet that signs.", no_args_is_help=True)
wallet_app.command("show")(show)
wallet_app.command("new")(new)
wallet_app.command("airdrop")(airdrop)
wallet_app.command("quota")(quota)
