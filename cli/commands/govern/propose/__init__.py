"""`gpu-market govern propose`: one command for each thing that can be voted on."""

import typer

from cli.commands.govern.propose.host import host
from cli.commands.govern.propose.key import key
from cli.commands.govern.propose.mint import mint
from cli.commands.govern.propose.parameter import parameter
from cli.commands.govern.propose.pause import pause, resume
from cli.commands.govern.propose.points import points
from cli.commands.govern.propose.rewards import rewards
from cli.commands.govern.propose.transfer import transfer
from cli.commands.govern.propose.upgrade import upgrade

propose_app = typer.Typer(help="Put something to the vote; takes active stake.", no_args_is_help=True)
for command in (parameter, key, pause, resume, host, mint, rewards, points, transfer, upgrade):
    propose_app.command(command.__name__)(command)
