"""`gpu-market rent`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.amounts import duration as say_duration
from anchor_client.market import RentalWanted
from anchor_client.tokens import MARKET_TOKEN
from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.arguments import MACHINE, PRICE, Duration, Pay
from market_cli.commands.rental.job import follow_until_started
from market_cli.commands.rental.render import amount
from market_cli.errors import BadOption
from market_cli.job_names import check_name, keep_name
from market_cli.orders import PANEL, OrderOptions, order_parts
from market_cli.session import Session
from market_cli.units import base_units, micro_usd, parse_duration


@acting
async def rent(
    session: Session,
    *,
    duration: Duration,
    gpu: Annotated[
        str | None,
        typer.Option("--gpu", help="GPU model id, as listed by `gpus`.", rich_help_panel=MACHINE, show_default=False),
    ] = None,
    listing: Annotated[
        str | None, typer.Option("--listing", help="Rent this listing.", rich_help_panel=MACHINE, show_default=False)
    ] = None,
    region: Annotated[
        str | None, typer.Option("--region", help="Only in this region.", rich_help_panel=MACHINE, show_default=False)
    ] = None,
    kind: Annotated[
        str, typer.Option("--kind", help="on-demand, spot, or reserved for 7, 30 or 90 days.", rich_help_panel=PRICE)
    ] = "on-demand",
    bid: Annotated[
        str | None,
        typer.Option(
            "--bid",
            help="Spot bid in dollars per hour; default: the lowest winning bid.",
            rich_help_panel=PRICE,
            show_default=False,
        ),
    ] = None,
    pay: Pay = MARKET_TOKEN,
    max_cost: Annotated[
        str | None,
        typer.Option(
            "--max-cost",
            help="Maximum cost in the payment token; default: quote + 1 %.",
            rich_help_panel=PRICE,
            show_default=False,
        ),
    ] = None,
    max_charges: Annotated[
        str | None,
        typer.Option(
            "--max-charges",
            help="Maximum traffic and storage charges, in the payment token.",
            rich_help_panel=PRICE,
            show_default=False,
        ),
    ] = None,
    storage_gb: Annotated[
        int, typer.Option("--storage-gb", help="GB of persistent storage.", min=0, rich_help_panel=PRICE)
    ] = 0,
    order: OrderOptions,
    save_template: Annotated[
        str | None,
        typer.Option(
            "--save-template", help="Save the order under this name.", rich_help_panel=PANEL, show_default=False
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--name", help="Call the job so, on this computer.", rich_help_panel=PANEL, show_default=False),
    ] = None,
    until_exit: Annotated[
        bool,
        typer.Option("--until-exit", help="End the job, and what it costs, once its command has ended."),
    ] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until the machine is running.")] = False,
) -> None:
    """Rent the cheapest matching machine for a fixed time, in one transaction.

    The full cost is escrowed; `gpu-market stop` refunds the unused part.
    """
    if gpu is None and listing is None:
        raise BadOption("Neither --gpu nor --listing is given", "Choose a model; `gpu-market gpus` lists them.")
    if bid is not None and kind != "spot":
        raise BadOption(f"--bid cannot be used with --kind {kind}", "Add --kind spot; other kinds have a fixed price.")
    if storage_gb and max_charges is None:
        raise BadOption("--storage-gb needs --max-charges", "Add --max-charges to cap what storage may cost.")
    if name is not None:
        check_name(name)
    seconds = parse_duration(duration)
    parts = order_parts(order, save_template)
    market, decimals = session.ordering, (await session.payment_mint(pay)).decimals
    rented = await market.rental.open(
        RentalWanted(
            duration=seconds,
            pay=pay,
            gpu=gpu,
            region=region,
            listing=parse_address(listing) if listing is not None else None,
            kind=kind,
            bid_usd=micro_usd(bid) if bid is not None else 0,
            max_cost=base_units(max_cost, decimals) if max_cost is not None else None,
            max_charges=base_units(max_charges, decimals) if max_charges is not None else 0,
            storage_gb=storage_gb,
            until_exit=until_exit,
        ),
        parts,
    )
    if name is not None:
        keep_name(name, rented.id)
    session.out.show(
        rented,
        f"[bold]{rented.id}[/]  {rented.status.value}",
        f"{rented.gpu} in {rented.region} for {say_duration(rented.duration)}: "
        f"{amount(rented, rented.deposit)} in escrow, {amount(rented, rented.subsidy)} of subsidy",
        f"Follow it: [bold]gpu-market job {name or rented.id} --watch[/]",
    )
    if wait:
        await follow_until_started(session, rented.id)
