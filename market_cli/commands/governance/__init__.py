"""`gpu-market governance`: what stakers decide."""

import typer

from market_cli.commands.governance.cancel import cancel
from market_cli.commands.governance.close_vote import close_vote
from market_cli.commands.governance.execute import execute
from market_cli.commands.governance.hand_over import hand_over
from market_cli.commands.governance.list import list_
from market_cli.commands.governance.propose import propose_app
from market_cli.commands.governance.queue import queue
from market_cli.commands.governance.show import show
from market_cli.commands.governance.vote import vote

governance_app = typer.Typer(help="Propose, vote, and carry out what was voted for.", no_args_is_help=True)
governance_app.add_typer(propose_app, name="propose")
governance_app.command("vote")(vote)
governance_app.command("list")(list_)
governance_app.command("show")(show)
governance_app.command("cancel")(cancel)
governance_app.command("queue")(queue)
governance_app.command("execute")(execute)
governance_app.command("close-vote")(close_vote)
governance_app.command("hand-over")(hand_over)
