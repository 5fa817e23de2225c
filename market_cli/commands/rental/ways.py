"""Other ways to pay for the same time of the same machine."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from rich.table import Table
from solders.pubkey import Pubkey

from anchor_client.amounts import Denomination, duration
from anchor_client.errors import GpuMarketError
from anchor_client.generated.types import RentalKind
from anchor_client.kinds import kind_name
from anchor_client.market.rental.plan import RentPlan
from anchor_client.market.rental.wanted import RentalWanted
from anchor_client.resources.rate import OrderCost
from anchor_client.rules.hourly import KindLeftOut, NoOrder, PayableToken
from anchor_client.rules.order import Quote
from market_cli.output import table
from market_cli.session import CliSession
from market_cli.worth import cents

Way = tuple[PayableToken, Quote]
NOTABLE = 100
"""A way is called cheaper if it saves at least one part in this many."""


async def quote(session: CliSession, wanted: RentalWanted) -> None:
    """Prints what the order costs by kind and token, cheapest first. Nothing is ordered."""
    market = session.market
    offer = await market.rental.plan.chosen(session.owner(None), wanted)
    pricing = await market.pricing()
    ways = pricing.ways(offer.listing, offer.subsidy_left, wanted.duration)
    if not ways:
        # Refused with the reason, as the order would be.
        await market.rental.plan.open(session.owner(None), wanted)
    tokens = {token.mint: await market.reads.denomination(_address(token)) for token, _ in ways}
    documents = [
        {"listing": str(offer.address), "token": tokens[token.mint].symbol, **OrderCost.of(token, order).to_json()}
        for token, order in ways
    ]
    title = f"{duration(wanted.duration)} of {offer.address}; spot at the lowest bid, no stake's discount"
    left_out = [_said(each) for each in pricing.left_out(offer.listing, wanted.duration, ways)]
    shown = [title, _table(ways, [tokens[token.mint] for token, _ in ways]), *left_out]
    session.out.show(documents, *(shown if ways else [f"No order of {duration(wanted.duration)} is taken there."]))


async def tell_cheaper(session: CliSession, plan: RentPlan) -> None:
    """Says before the order is signed that the same time of the machine costs less by another kind or token."""
    if session.out.as_json:
        return
    with suppress(GpuMarketError, OSError):
        pricing = await session.market.pricing()
        ordered = pricing.token(plan.mint)
        ways = pricing.ways(plan.offer.listing, plan.offer.subsidy_left, plan.quote.duration)
        if not ways or ordered is None or not ordered.is_priced:
            return
        token, least = ways[0]
        paid, other = ordered.usd_floor(plan.quote.deposit), token.usd_floor(least.deposit)
        if other + other // NOTABLE >= paid:
            return
        symbol = (await session.market.reads.denomination(_address(token))).symbol
        kind = kind_name(least.kind)
        caution = ""
        if least.kind is RentalKind.SPOT:
            caution = " A higher bid can take a spot machine."
        session.out.note(
            f"[yellow]cheaper:[/] {duration(plan.quote.duration)} cost {cents(other)} {kind} in {symbol}, not "
            f"{cents(paid)}: --kind {kind} --pay {symbol}.{caution}"
        )


def _said(left_out: KindLeftOut) -> str:
    kind, reason, shortest = left_out
    least = "no order of this machine is worth the market's minimum"
    if shortest is not None:
        least = f"from {duration(shortest)}; a shorter order is below the market's minimum"
    words = {
        NoOrder.NOT_OFFERED: "not offered by this machine",
        NoOrder.OTHER_TERM: "for 7, 30 or 90 days",
        NoOrder.TOO_SHORT: least,
        NoOrder.TOO_LONG: "not for so long",
        NoOrder.NO_PRICE: "no token has a price",
    }
    return f"{kind_name(kind)}: {words[reason]}"


def _address(token: PayableToken) -> Pubkey:
    return Pubkey.from_string(str(token.mint))


def _table(ways: Iterable[Way], tokens: Iterable[Denomination]) -> Table:
    rows = table("kind", "token", "cost", "worth", "$/h", numbers=("cost", "worth", "$/h"))
    for (token, order), said in zip(ways, tokens, strict=True):
        rows.add_row(
            kind_name(order.kind),
            said.symbol,
            said.say(order.deposit),
            cents(token.usd_floor(order.deposit)),
            cents(token.worth_floor(order)),
        )
    return rows
