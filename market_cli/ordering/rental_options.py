"""The options that describe a rental."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from anchor_client.symbols import MARKET_TOKEN
from market_cli.commands.arguments import MACHINE, PRICE, Duration, Pay
from market_cli.completion import complete_listing
from market_cli.ordering.machine_options import MachineOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class RentalOptions(MachineOptions):
    """The rental that `gpu-market rent` or a job file asks for, as typed."""

    duration: Duration
    listing: Annotated[
        str | None,
        typer.Option(
            "--listing",
            help="Rent this listing.",
            autocompletion=complete_listing,
            rich_help_panel=MACHINE,
            show_default=False,
        ),
    ] = None
    kind: Annotated[
        str, typer.Option("--kind", help="on-demand, spot, or reserved for 7, 30 or 90 days.", rich_help_panel=PRICE)
    ] = "on-demand"
    bid: Annotated[
        str | None,
        typer.Option(
            "--bid",
            help="Spot bid in dollars per hour; default: the lowest winning bid.",
            rich_help_panel=PRICE,
            show_default=False,
        ),
    ] = None
    pay: Pay = MARKET_TOKEN
    max_price: Annotated[
        str | None,
        typer.Option(
            "--max-price",
            help="Maximum dollars per hour that the order pays, in its token.",
            rich_help_panel=PRICE,
            show_default=False,
        ),
    ] = None
    max_cost: Annotated[
        str | None,
        typer.Option(
            "--max-cost",
            help="Maximum cost in the payment token; default: quote + 1 %.",
            rich_help_panel=PRICE,
            show_default=False,
        ),
    ] = None
    max_charges: Annotated[
        str | None,
        typer.Option(
            "--max-charges",
            help="Maximum traffic and storage charges, in the payment token.",
            rich_help_panel=PRICE,
            show_default=False,
        ),
    ] = None
    storage_gb: Annotated[
        int, typer.Option("--storage-gb", help="GB of persistent storage.", min=0, max=2**32 - 1, rich_help_panel=PRICE)
    ] = 0
    name: Annotated[str | None, typer.Option("--name", help="Local name for the job.", show_default=False)] = None
    until_exit: Annotated[bool, typer.Option("--until-exit", help="End the job once its command has ended.")] = False
    respawn: Annotated[
        bool,
        typer.Option(
            "--respawn",
            help="Keep running, and rent another machine for the remaining time if one is preempted or fails; "
            "needs --max-price.",
        ),
    ] = False
    wait: Annotated[
        bool,
        typer.Option("--wait", help="Wait until the machine is running, or with --script until the script has ended."),
    ] = False
    script: Annotated[
        Path | None,
        typer.Option(
            "--script",
            metavar="FILE|FOLDER",
            help="Upload and run this once the machine runs; for a folder --command, run.sh, main.py or train.py.",
            show_default=False,
        ),
    ] = None
    fetch: Annotated[
        str | None,
        typer.Option(
            "--fetch",
            metavar="PATH",
            help="With --script: print its output, and at the end copy this path of its folder to this computer.",
            show_default=False,
        ),
    ] = None
