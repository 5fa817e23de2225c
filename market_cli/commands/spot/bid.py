"""`gpu-market bid`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.amounts import duration as say_duration
from anchor_client.amounts import usd
from anchor_client.kinds import WAITING_MESSAGE
from anchor_client.rules.math import accrued_ceil
from anchor_client.symbols import MARKET_TOKEN
from market_cli.acting import acting
from market_cli.commands.rental.job import follow_until_started, going_on
from market_cli.commands.rental.render import amount, job_table
from market_cli.completion import complete_bid
from market_cli.errors import BadOption
from market_cli.job_names import check_name, keep_name
from market_cli.ordering.order_options import OrderOptions
from market_cli.ordering.orders import order_parts
from market_cli.session import CliSession
from market_cli.units import base_units_given, parse_duration, price
from market_cli.worth import read_worth


@acting
async def bid(
    session: CliSession,
    *,
    target: Annotated[
        str,
        typer.Argument(
            metavar="LISTING",
            help="Listing to bid on; with --withdraw, the job.",
            autocompletion=complete_bid,
            show_default=False,
        ),
    ],
    usd_per_hour: Annotated[
        str | None,
        typer.Argument(
            metavar="[DOLLARS]", help="Bid in dollars per hour; default: the lowest winning bid.", show_default=False
        ),
    ] = None,
    duration: Annotated[
        str | None, typer.Option("--duration", help="Rental duration: 1h, 90m, 7d, or seconds.", show_default=False)
    ] = None,
    kind: Annotated[
        str,
        typer.Option(
            "--kind", help="spot; or on-demand or reserved, to displace a spot holder at the same price or less."
        ),
    ] = "spot",
    pay: Annotated[str, typer.Option("--pay", help="Payment token: GPUM, USDC, SOL or a mint address.")] = MARKET_TOKEN,
    max_cost: Annotated[
        str | None, typer.Option("--max-cost", help="Maximum cost in the payment token.", show_default=False)
    ] = None,
    order: OrderOptions,
    name: Annotated[str | None, typer.Option("--name", help="Local name for the job.", show_default=False)] = None,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Withdraw a pending bid.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until the machine is running.")] = False,
) -> None:
    """Bid on a machine: take it if it is free, or wait until its spot holder leaves or is preempted.

    The full cost is escrowed, and a compensation for the holder, paid if the bid displaces them or is withdrawn. A bid
    that is outbid is refunded in full in the same transaction. Once the machine is free for it, a bid cannot be
    withdrawn, and its job costs at least the minimum charge.
    """
    if withdraw:
        ended = await session.signing.spot.withdraw(await session.job(target))
        session.out.show(ended, job_table(ended, await read_worth(session)))
        return
    if duration is None:
        raise BadOption("--duration is missing", "Add a duration, such as --duration 6h.")
    if name is not None:
        check_name(name)
    bid_usd = 0 if usd_per_hour is None else price(usd_per_hour)
    workload = order_parts(order)
    market = session.ordering
    decimals = (await session.payment_mint(pay)).decimals
    placed = await market.spot.bid(
        await session.listing(target),
        duration=parse_duration(duration),
        bid_usd=bid_usd,
        pay=pay,
        kind=kind,
        workload=workload,
        max_cost=base_units_given(max_cost, decimals),
    )
    if name is not None:
        keep_name(name, placed.id)
    called = name or str(placed.id)
    lines = [
        f"[bold]{placed.id}[/]  {placed.message}",
        f"{usd(placed.rate_usd)}/h for {say_duration(placed.duration)}: {amount(placed, placed.deposit)} in escrow, "
        f"{amount(placed, placed.subsidy)} of subsidy",
        f"Follow it: [bold]gpu-market job {called} --watch[/]",
    ]
    if placed.message == WAITING_MESSAGE:
        compensation = amount(placed, placed.deposit - accrued_ceil(placed.rate, placed.duration))
        lines[2:2] = [
            f"{compensation} of the escrow compensates the machine's holder if you displace them or withdraw",
            f"Withdraw it, unless it has outbid another order: [bold]gpu-market bid --withdraw {called}[/]",
        ]
    session.out.show(placed, *lines)
    if wait:
        with going_on(session, called):
            await follow_until_started(session, placed.id)
