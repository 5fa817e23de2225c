"""Commands of a host for listed machines."""

from __future__ import annotations

from typing import Annotated

import typer
from solders.pubkey import Pubkey

from anchor_client.amounts import usd
from anchor_client.generated.events import HoldbackReleased, ListingMarked, PayoutClaimed
from anchor_client.kinds import SILENCES, SilenceState
from anchor_client.service.optional import optional
from anchor_client.service.pacing import run_until, stop_on_signals
from anchor_client.solana.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.arguments import JobId, ListingAddress
from market_cli.commands.host.following import PriceBounds
from market_cli.commands.host.following import follow as following
from market_cli.errors import BadOption
from market_cli.session import CliSession
from market_cli.structured_logs import narrate
from market_cli.units import micro_usd, moment, parse_duration
from market_cli.units import price as hourly


@acting
async def price(
    session: CliSession,
    listing: ListingAddress,
    price: Annotated[
        str | None, typer.Argument(metavar="[PRICE]", help="Dollars per machine-hour.", show_default=False)
    ] = None,
    spot_price: Annotated[
        str | None,
        typer.Option(
            "--spot-price", help="Minimum spot bid in dollars per hour; default: unchanged.", show_default=False
        ),
    ] = None,
    follow: Annotated[
        bool,
        typer.Option("--follow", help="Follow the market's median price of the GPU model until Ctrl-C."),
    ] = False,
    least: Annotated[
        str | None, typer.Option("--least", help="With --follow: lowest price, dollars per hour.", show_default=False)
    ] = None,
    most: Annotated[
        str | None, typer.Option("--most", help="With --follow: highest price, dollars per hour.", show_default=False)
    ] = None,
    every: Annotated[str, typer.Option("--every", help="With --follow: time between two looks.")] = "10m",
) -> None:
    """Change a listing's price for new rentals; running ones keep theirs.

    With --follow it moves by at most a tenth per step, and the minimum spot bid by the same share.
    """
    address = await session.listing(listing)
    if follow:
        await _follow(session, address, price, least, most, every)
        return
    if price is None:
        raise BadOption("No price is given", "Give one, or --follow with --least and --most.")
    on_demand = micro_usd(price)
    spot = optional(micro_usd, spot_price)
    sent = await session.signing.host.update_price(address, on_demand, spot)
    text = f"{listing} is {usd(on_demand)}/h for new rentals."
    session.out.sent(sent, text, listing=listing, on_demand_usd=on_demand)


async def _follow(
    session: CliSession, listing: Pubkey, price: str | None, least: str | None, most: str | None, every: str
) -> None:
    if price is not None or least is None or most is None:
        raise BadOption("--follow takes bounds instead of a price", "Give --least and --most.")
    bounds = PriceBounds(hourly(least), hourly(most))
    if bounds.least > bounds.most:
        raise BadOption(f"--least {least} is above --most {most}")
    narrate(session, None)
    session.out.note(f"Following between {usd(bounds.least)} and {usd(bounds.most)} an hour. Ctrl-C ends it.")
    await run_until(stop_on_signals(), following(session.signing, listing, bounds, parse_duration(every)))


def _addresses(texts: list[str] | None) -> list[Pubkey] | None:
    return [parse_address(text) for text in texts] if texts else None


@acting
async def claim(session: CliSession, listing: ListingAddress) -> None:
    """Claim a listing's debt to its host, so that it takes orders again. Anyone may do this; the host is paid."""
    sent = await session.signing.host.claim_payout(await session.listing(listing))
    claimed = sent.event(PayoutClaimed)
    token = await session.signing.reads.denomination(claimed.mint)
    session.out.sent(
        sent,
        f"Paid {token.say(claimed.amount)} to {claimed.authority}.",
        listing=listing,
        host_authority=str(claimed.authority),
        mint=str(claimed.mint),
        amount=str(claimed.amount),
    )


@acting
async def release(session: CliSession, job: JobId) -> None:
    """Pay out the holdback of a job that has finished and can no longer be contested. Anyone may do this.

    After a second window it becomes a fee if the host's own account cannot take it.
    """
    address = await session.job(job)
    sent = await session.signing.rental.release_holdback(address)
    released = sent.event(HoldbackReleased)
    token = await session.signing.reads.denomination(released.mint)
    session.out.sent(
        sent,
        f"Kept {token.say(released.amount)} as a fee: the host's account cannot take it."
        if released.kept
        else f"Paid {token.say(released.amount)} to the host.",
        job=str(address),
        mint=str(released.mint),
        amount=str(released.amount),
        kept=str(released.kept),
    )


@acting
async def mark(session: CliSession, listing: ListingAddress) -> None:
    """Mark a silent machine; after the host's time to answer, run it again to prove the silence. Anyone may do this."""
    sent = await session.signing.host.mark_silent(await session.listing(listing))
    marked = sent.event(ListingMarked)
    silence = SILENCES[marked.silence]
    since = marked.last_heartbeat_at
    answer_by = None
    text = f"Silent since {moment(since)}: downtime until the next heartbeat."
    if silence is not SilenceState.SILENT:
        answer_by = marked.answer_by
        text = f"Marked: without an answer by {moment(answer_by)}, it is silent since {moment(since)}."
    session.out.sent(sent, text, listing=listing, silence=silence.value, silent_since=since, answer_by=answer_by)


@acting
async def operator(
    session: CliSession,
    new: Annotated[str, typer.Argument(help="Address of the new key that serves your machines.")],
    listing: Annotated[
        list[str] | None,
        typer.Option(
            "--listing", metavar="ADDRESS", help="Listing that the key serves; repeatable.", show_default="all of yours"
        ),
    ] = None,
) -> None:
    """Set the key that serves listings: heartbeats, orders and settlements. Only you are paid and set prices."""
    key = parse_address(new)
    sent = await session.signing.host.set_operator(key, _addresses(listing))
    document = {"operator": new, "transactions": [str(one.signature) for one in sent]}
    session.out.show(document, f"{new} now serves them." if sent else "No listings to hand over.")


@acting
async def heartbeat(
    session: CliSession,
    listings: Annotated[
        list[str] | None,
        typer.Argument(help="Listings to keep online; default: all that you operate.", show_default=False),
    ] = None,
    owner: Annotated[
        str | None, typer.Option("--owner", metavar="ADDRESS", help="Host's wallet.", show_default="your own")
    ] = None,
) -> None:
    """Send heartbeats. Run it every few minutes, from cron or a timer, to keep machines online."""
    sent = await session.signing.host.heartbeat(_addresses(listings), owner=optional(parse_address, owner or None))
    text = f"Heartbeat in {len(sent)} transaction(s)." if sent else "No listings to keep online."
    session.out.show({"transactions": [str(one.signature) for one in sent]}, text)
