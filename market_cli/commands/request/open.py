"""`gpu-market request open`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.amounts import usd
from anchor_client.kinds import parse_kind
from anchor_client.market import MachineWanted
from anchor_client.market.host.nearest import name_cheapest
from anchor_client.rules.catalog import find_region
from anchor_client.rules.order import hourly_usd
from anchor_client.symbols import MARKET_TOKEN
from market_cli.acting import acting
from market_cli.commands.arguments import MACHINE, PRICE, Duration, Gpu, Pay
from market_cli.commands.request.render import request_table
from market_cli.commands.request.request import follow_request
from market_cli.completion import complete_region
from market_cli.ordering.order_options import OrderOptions
from market_cli.ordering.orders import order_parts
from market_cli.session import CliSession
from market_cli.units import MAX_U32, base_units_given, parse_cuda, parse_duration, parse_score, price
from market_cli.worth import read_worth

NO_HASH = bytes(32)


@acting
async def open_(
    session: CliSession,
    *,
    gpu: Gpu,
    duration: Duration,
    max_price: Annotated[
        str, typer.Option("--max-price", help="Maximum price in dollars per machine-hour.", rich_help_panel=PRICE)
    ],
    count: Annotated[
        int, typer.Option("--count", min=1, max=255, help="Number of GPUs in the machine.", rich_help_panel=MACHINE)
    ] = 1,
    region: Annotated[
        list[str] | None,
        typer.Option(
            "--region",
            help="Only in this region; repeatable.",
            autocompletion=complete_region,
            rich_help_panel=MACHINE,
        ),
    ] = None,
    near: Annotated[
        str | None,
        typer.Option(
            "--near",
            help="Prefer machines near this region.",
            autocompletion=complete_region,
            rich_help_panel=MACHINE,
            show_default=False,
        ),
    ] = None,
    min_score: Annotated[
        str, typer.Option("--min-score", help="Minimum host reputation, in percent.", rich_help_panel=MACHINE)
    ] = "0",
    min_vram: Annotated[
        int,
        typer.Option("--min-vram", min=0, max=65_535, help="Minimum VRAM of each GPU, in GB.", rich_help_panel=MACHINE),
    ] = 0,
    min_ram: Annotated[
        int, typer.Option("--min-ram", min=0, max=MAX_U32, help="Minimum RAM, in GB.", rich_help_panel=MACHINE)
    ] = 0,
    min_disk: Annotated[
        int, typer.Option("--min-disk", min=0, max=MAX_U32, help="Minimum disk, in GB.", rich_help_panel=MACHINE)
    ] = 0,
    min_up: Annotated[
        int, typer.Option("--min-up", min=0, max=MAX_U32, help="Minimum upload, in Mbit/s.", rich_help_panel=MACHINE)
    ] = 0,
    min_down: Annotated[
        int,
        typer.Option("--min-down", min=0, max=MAX_U32, help="Minimum download, in Mbit/s.", rich_help_panel=MACHINE),
    ] = 0,
    min_cuda: Annotated[
        str, typer.Option("--min-cuda", help="Minimum CUDA version, like 12.8.", rich_help_panel=MACHINE)
    ] = "0.0",
    kind: Annotated[
        str, typer.Option("--kind", help="on-demand, or reserved for 7, 30 or 90 days.", rich_help_panel=PRICE)
    ] = "on-demand",
    pay: Pay = MARKET_TOKEN,
    deposit: Annotated[
        str | None,
        typer.Option(
            "--deposit",
            help="Amount to escrow, in the payment token; default: the maximum cost without a subsidy + 10 %.",
            rich_help_panel=PRICE,
            show_default=False,
        ),
    ] = None,
    valid_for: Annotated[str, typer.Option("--valid-for", help="How long to wait for a match; at most 30d.")] = "1d",
    order: OrderOptions,
    watch: Annotated[bool, typer.Option("--watch", help="Wait until a machine is matched and running.")] = False,
) -> None:
    """Request any matching machine; a keeper assigns the best idle one at its price.

    The order is sent to the host while you watch: with --watch, or later with `request show ID --watch`.
    """
    max_usd = price(max_price)
    market = session.ordering
    decimals = (await session.payment_mint(pay)).decimals
    wanted = MachineWanted(
        gpu=gpu,
        duration=parse_duration(duration),
        pay=pay,
        max_usd=max_usd,
        order_hash=NO_HASH,
        kind=kind,
        count=count,
        regions=tuple(region or ()),
        near=near,
        min_score_bps=parse_score(min_score),
        min_vram_gb=min_vram,
        min_cuda=parse_cuda(min_cuda),
        min_ram_gb=min_ram,
        min_disk_gb=min_disk,
        min_net_up_mbps=min_up,
        min_net_down_mbps=min_down,
        deposit=base_units_given(deposit, decimals),
        valid_for=parse_duration(valid_for),
    )
    parts = order_parts(order)
    await _warn_of_a_low_price(session, wanted)
    opened = await market.request.open(wanted, parts)
    session.out.show(opened, request_table(opened, await read_worth(session)))
    if watch:
        await follow_request(session, opened.id)


async def _warn_of_a_low_price(session: CliSession, wanted: MachineWanted) -> None:
    """Prints that no listed machine is that cheap, and names the cheapest ones."""
    kind = parse_kind(wanted.kind)
    discount = (await session.market.reads.market()).reserved_discount_bps
    regions = {find_region(slug).id for slug in wanted.regions}
    listed = [
        (hourly_usd(offer.listing.on_demand_usd, kind, discount), offer)
        for offer in await session.market.listings(gpu=wanted.gpu)
        if offer.approved
        and offer.listing.visible
        and offer.listing.gpu_count == wanted.count
        and (not regions or offer.listing.region in regions)
    ]
    if any(price <= wanted.max_usd for price, _ in listed):
        return
    named = f"the nearest are {name_cheapest(listed)}" if listed else "none is listed"
    session.out.warn(
        f"No such machine costs {usd(wanted.max_usd)} an hour or less: {named}. The request waits until one does."
    )
