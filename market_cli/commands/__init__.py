"""One command a file; `register_commands` puts them under their names."""

from __future__ import annotations

import typer

from market_cli.commands.charges import charges_app
from market_cli.commands.config import config_app
from market_cli.commands.governance import governance_app
from market_cli.commands.host import host_app
from market_cli.commands.market.gpus import gpus
from market_cli.commands.market.listings import listings
from market_cli.commands.mfp import mfp_app
from market_cli.commands.rental.extend import extend
from market_cli.commands.rental.job import job
from market_cli.commands.rental.jobs import jobs
from market_cli.commands.rental.rate import rate
from market_cli.commands.rental.rent import rent
from market_cli.commands.rental.stop import stop
from market_cli.commands.request import request_app
from market_cli.commands.services.demo import demo
from market_cli.commands.services.indexer import indexer
from market_cli.commands.services.keeper import keeper
from market_cli.commands.services.up import up
from market_cli.commands.spot.bid import bid
from market_cli.commands.spot.spot import spot
from market_cli.commands.staking import staking_app
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
    app.add_typer(charges_app, name="charges", rich_help_panel=RENTING)
    app.add_typer(staking_app, name="staking", rich_help_panel=STAKING)
    app.add_typer(mfp_app, name="mfp", rich_help_panel=STAKING)
    app.add_typer(governance_app, name="governance", rich_help_panel=STAKING)
    app.add_typer(request_app, name="request", rich_help_panel=RENTING)
    app.add_typer(host_app, name="host", rich_help_panel=RUNNING)
    app.add_typer(wallet_app, name="wallet", rich_help_panel=SETTINGS)
    app.add_typer(config_app, name="config", rich_help_panel=SETTINGS)
