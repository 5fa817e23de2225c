"""`gpu-market host`: offering machines."""

import typer

from market_cli.commands.host.approve import approve
from market_cli.commands.host.heartbeat import heartbeat
from market_cli.commands.host.list import list_
from market_cli.commands.host.machines import machines
from market_cli.commands.host.price import price
from market_cli.commands.host.register import register
from market_cli.commands.host.run import run
from market_cli.commands.host.score import score
from market_cli.commands.host.show import show

host_app = typer.Typer(help="Offer machines and keep them online.", no_args_is_help=True)
host_app.command("register")(register)
host_app.command("approve")(approve)
host_app.command("list")(list_)
host_app.command("price")(price)
host_app.command("heartbeat")(heartbeat)
host_app.command("run")(run)
host_app.command("machines")(machines)
host_app.command("show")(show)
host_app.command("score")(score)
