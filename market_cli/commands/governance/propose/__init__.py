"""`gpu-market governance propose`: one command for each thing that can be voted on."""

import typer

from market_cli.commands.governance.propose.host import host
from market_cli.commands.governance.propose.key import key
from market_cli.commands.governance.propose.mint import mint
from market_cli.commands.governance.propose.parameter import parameter
from market_cli.commands.governance.propose.pause import pause, resume
from market_cli.commands.governance.propose.points import points
from market_cli.commands.governance.propose.rewards import rewards
from market_cli.commands.governance.propose.transfer import transfer
from market_cli.commands.governance.propose.upgrade import upgrade

propose_app = typer.Typer(help="Put something to the vote; takes active stake.", no_args_is_help=True)
for command in (parameter, key, pause, resume, host, mint, rewards, points, transfer, upgrade):
    propose_app.command(command.__name__)(command)
