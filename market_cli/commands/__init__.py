"""One command a file; `register_commands` puts them under their names."""

from __future__ import annotations

import typer

from market_cli.commands.bid import bid
from market_cli.commands.config import config_app
from market_cli.commands.demo import demo
from market_cli.commands.extend import extend
from market_cli.commands.govern import govern_app
from market_cli.commands.gpus import gpus
from market_cli.commands.host import host_app
from market_cli.commands.indexer import indexer
from market_cli.commands.job import job
from market_cli.commands.jobs import jobs
from market_cli.commands.keeper import keeper
from market_cli.commands.listings import listings
from market_cli.commands.meter import meter_app
from market_cli.commands.rate import rate
from market_cli.commands.rent import rent
from market_cli.commands.request import request_app
from market_cli.commands.spot import spot
from market_cli.commands.stake import stake_app
from market_cli.commands.stop import stop
from market_cli.commands.up import up
from market_cli.commands.wallet import wallet_app

RENTING = "Renting"
STAKING = "Staking"
RUNNING = "Running a market"
SETTINGS = "Settings"


def register_commands(app: typer.Typer) -> None:
    """Adds every command to the program."""
    for command in (gpus, listings, spot, rent, bid, jobs, job, extend, stop, rate):
        app.command(command.__name__, rich_help_panel=RENTING)(command)
    for command in (up, demo, indexer, keeper):
        app.command(command.__name__, rich_help_panel=RUNNING)(command)
    app.add_typer(meter_app, name="meter", rich_help_panel=RENTING)
    app.add_typer(stake_app, name="stake", rich_help_panel=STAKING)
    app.add_typer(govern_app, name="govern", rich_help_panel=RUNNING)
    app.add_typer(request_app, name="request", rich_help_panel=RENTING)
    app.add_typer(host_app, name="host", rich_help_panel=RUNNING)
    app.add_typer(wallet_app, name="wallet", rich_help_panel=SETTINGS)
    app.add_typer(config_app, name="config", rich_help_panel=SETTINGS)
