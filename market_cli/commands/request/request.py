"""Commands for a renter's requests."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer
from solders.pubkey import Pubkey

from anchor_client.market import Job
from market_cli.acting import acting
from market_cli.commands.arguments import Renter
from market_cli.commands.rental.job import follow_until_started, going_on
from market_cli.commands.request.render import request_table, requests_table
from market_cli.exit_codes import FAILED
from market_cli.session import CliSession
from market_cli.worth import read_worth

RequestId = Annotated[
    str, typer.Argument(metavar="REQUEST", help="Request: its id, or a prefix of it.", show_default=False)
]


@acting
async def list_(session: CliSession, renter: Renter = None) -> None:
    """Show your open requests, newest first."""
    found = await session.market.request.list(session.owner(renter))
    session.out.rows(found, requests_table(found, await read_worth(session)), none="No open requests.")


@acting
async def show(
    session: CliSession,
    request: RequestId,
    watch: Annotated[
        bool, typer.Option("--watch", help="Wait for a match, send the order and wait until the machine is running.")
    ] = False,
) -> None:
    """Show a request and its outcome."""
    address = await session.request(request)
    if watch:
        await follow_request(session, address)
        return
    found = await session.market.request.get(address)
    session.out.show(found, request_table(found, await read_worth(session)))


@acting
async def cancel(session: CliSession, request: RequestId) -> None:
    """Cancel a request; deposit, rent and tips are refunded in the same transaction."""
    ended = await session.signing.request.cancel(await session.request(request))
    session.out.show(ended, request_table(ended, await read_worth(session)))


async def follow_request(session: CliSession, address: Pubkey) -> None:
    """Waits until the request ends; if matched, sends the order to the host and follows the job. Exits with FAILED
    if no machine was found.
    """
    try:
        ended = await session.ordering.request.await_match(address)
    except asyncio.CancelledError:
        session.out.warn(
            f"The request stays open, but its order reaches the host only while you watch: "
            f"`gpu-market request show {address} --watch`, or `gpu-market request cancel {address}`"
        )
        raise
    found = await session.market.request.get(address)
    session.out.show(found, request_table(found, await read_worth(session)))
    if not isinstance(ended, Job):
        raise typer.Exit(FAILED)
    with going_on(session, ended.id):
        await follow_until_started(session, ended.id)
