"""`gpu-market govern`: what stakers decide."""

import typer

from market_cli.commands.govern.cancel import cancel
from market_cli.commands.govern.close_vote import close_vote
from market_cli.commands.govern.execute import execute
from market_cli.commands.govern.hand_over import hand_over
from market_cli.commands.govern.list import list_
from market_cli.commands.govern.propose import propose_app
from market_cli.commands.govern.queue import queue
from market_cli.commands.govern.show import show
from market_cli.commands.govern.vote import vote

govern_app = typer.Typer(help="Propose, vote, and carry out what was voted for.", no_args_is_help=True)
govern_app.add_typer(propose_app, name="propose")
govern_app.command("vote")(vote)
govern_app.command("list")(list_)
govern_app.command("show")(show)
govern_app.command("cancel")(cancel)
govern_app.command("queue")(queue)
govern_app.command("execute")(execute)
govern_app.command("close-vote")(close_vote)
govern_app.command("hand-over")(hand_over)
