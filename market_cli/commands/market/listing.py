"""`gpu-market listing`."""

from __future__ import annotations

from market_cli.acting import acting
from market_cli.commands.arguments import ListingAddress
from market_cli.commands.market.from_api import as_told_by_api
from market_cli.commands.market.render import listing_table
from market_cli.session import CliSession


@acting
async def listing(session: CliSession, listing: ListingAddress) -> None:
    """Show a listed machine: its specs, its prices and its host's heartbeat.

    The market's API adds its verification and its host's measurements.
    """
    reads = session.market.reads
    offer = await reads.offer(await session.listing(listing))
    found = await as_told_by_api(session, offer.listed(await session.market.pricing()))
    owed_in = None
    if offer.owed_mint is not None:
        owed_in = await reads.denomination(offer.owed_mint)
    paid_in = {rate.mint: await reads.denomination(rate.mint) for rate in found.rates}
    session.out.show(found, listing_table(found, owed_in, paid_in))
