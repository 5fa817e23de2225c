"""`gpu-market request`: an order for whichever machine fits."""

import typer

from market_cli.commands.request.cancel import cancel
from market_cli.commands.request.list import list_requests
from market_cli.commands.request.open import open_request
from market_cli.commands.request.show import show

request_app = typer.Typer(help="Ask for a kind of machine, and be matched with one.", no_args_is_help=True)
request_app.command("open")(open_request)
request_app.command("list")(list_requests)
request_app.command("show")(show)
request_app.command("cancel")(cancel)
