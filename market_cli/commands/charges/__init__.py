"""`gpu-market charges`: what a rental's traffic and storage cost."""

import typer

from market_cli.commands.charges.accept import accept
from market_cli.commands.charges.close import close
from market_cli.commands.charges.dispute import dispute
from market_cli.commands.charges.open import open_
from market_cli.commands.charges.report import report
from market_cli.commands.charges.set import set_
from market_cli.commands.charges.settle import settle
from market_cli.commands.charges.show import show

charges_app = typer.Typer(help="See, cap and settle what a rental's traffic and storage cost.", no_args_is_help=True)
charges_app.command("set")(set_)
charges_app.command("report")(report)
charges_app.command("show")(show)
charges_app.command("open")(open_)
charges_app.command("dispute")(dispute)
charges_app.command("accept")(accept)
charges_app.command("settle")(settle)
charges_app.command("close")(close)
