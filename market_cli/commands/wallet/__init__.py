"""`gpu-market wallet`: the key that signs, and what it holds."""

import typer

from market_cli.commands.wallet.airdrop import airdrop
from market_cli.commands.wallet.new import new
from market_cli.commands.wallet.quota import quota
from market_cli.commands.wallet.show import show

wallet_app = typer.Typer(help="The wallet that signs.", no_args_is_help=True)
wallet_app.command("show")(show)
wallet_app.command("new")(new)
wallet_app.command("airdrop")(airdrop)
wallet_app.command("quota")(quota)
