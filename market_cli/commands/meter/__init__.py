"""`gpu-market meter`: what a rental's traffic and storage cost."""

import typer

from market_cli.commands.meter.accept import accept
from market_cli.commands.meter.close import close
from market_cli.commands.meter.dispute import dispute
from market_cli.commands.meter.open import open_
from market_cli.commands.meter.settle import settle
from market_cli.commands.meter.show import show

meter_app = typer.Typer(help="See, cap and settle what a rental's traffic and storage cost.", no_args_is_help=True)
meter_app.command("show")(show)
meter_app.command("open")(open_)
meter_app.command("dispute")(dispute)
meter_app.command("accept")(accept)
meter_app.command("settle")(settle)
meter_app.command("close")(close)
