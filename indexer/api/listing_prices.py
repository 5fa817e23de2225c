"""Pages of listings by what orders pay: a rule of the program's that no database knows, so it is asked here."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from heapq import nlargest
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, bindparam, select

from anchor_client.generated.types import RentalKind
from anchor_client.rules.hourly import PayableToken, Pricing
from anchor_client.rules.math import share_ceil
from anchor_client.rules.subsidy import subsidy_left
from indexer.api.cursors import decode_cursor, encode_cursor
from indexer.api.errors import ApiError
from indexer.api.listing_query import FILTERS, KEYS, ListingFilters, ListingQuery, ListingSort, Order, sort_name
from indexer.models import Host, Listing, MachineFigures
from indexer.store.statements import among

PAID: Final = {ListingSort.PRICE: RentalKind.ON_DEMAND, ListingSort.SPOT_PRICE: RentalKind.SPOT}
"""Sorts by what an order of a kind pays."""
LAST: Final = 10**17
"""Sort key of machines that take no order of the kind: above any price that a cursor has room for."""
PRICED: Final = tuple(
    column
    for record, names in (
        (Listing, ("on_demand_usd", "spot_min_usd", "reference_usd", "gpu_count", "mrl_seconds")),
        (Host, ("subsidy_budget", "subsidy_booked", "subsidy_day")),
    )
    for column in (record.c[name] for name in names)
)
"""Columns that a machine's price depends on."""

CHUNK: Final = 500
"""Rows that are read at a time."""

Place = tuple[int, str]
"""Sort key and address."""


def needs_prices(asked: ListingQuery) -> bool:
    """True where the page is sorted or filtered by what orders pay."""
    return asked.sort in PAID or any(
        bound is not None for bound in (asked.min_price, asked.max_price, asked.max_spot_price)
    )


def priced_page(
    connection: Connection,
    listed: Select[*tuple[Any, ...]],
    asked: ListingQuery,
    pricing: Pricing,
    now: int,
    parameters: Mapping[str, object],
) -> tuple[Sequence[Row[*tuple[Any, ...]]], str | None]:
    """A page of the rows of `listed` that match, and the cursor of the next page if any. ApiError 400 for a mint that
    nothing is paid in.
    """
    given = _given(asked)
    order = asked.order or KEYS[asked.sort][1]
    prices = ShownPrices(pricing, _token(pricing, asked.pay), now)
    name = sort_name(asked.sort, order)
    behind = None if asked.cursor is None else decode_cursor(asked.cursor, name)[:2]
    pick = _last if order is Order.DESC else _first
    with connection.execute(_candidates(asked.sort, frozenset(given)), {**parameters, **given}) as candidates:
        first = pick(candidates, asked, prices, behind)
    page = [address for _, address in first[: asked.limit]]
    by_address = among(connection, Listing.c.address, page)
    rows = {row.address: row for row in connection.execute(listed.where(by_address), parameters)}
    following = encode_cursor(name, *first[asked.limit - 1]) if len(first) > asked.limit else None
    return [rows[address] for address in page], following


def fits(
    connection: Connection,
    asked: ListingFilters,
    pricing: Pricing,
    now: int,
    parameters: Mapping[str, object],
    listing: str,
) -> bool:
    """True for a listing that matches; for none while its prices are asked for in a mint that nothing is paid in."""
    given = _given(asked)
    row = connection.execute(_candidate(frozenset(given)), {**parameters, **given, "listing": listing}).first()
    if row is None:
        return False
    token = pricing.token(asked.pay)
    if token is None and asked.pay is not None:
        return False
    return _fits(row, asked, ShownPrices(pricing, token, now))


@dataclass(frozen=True, slots=True)
class ShownPrices:
    """Prices that orders of machines pay in one token; before fees while the market is unknown."""

    pricing: Pricing
    token: PayableToken | None
    now: int

    def of(self, row: Any, kind: RentalKind) -> int | None:
        """Micro-USD an hour of an order of a kind; None where the machine takes none."""
        if self.token is None:
            return (row.spot_min_usd or None) if kind is RentalKind.SPOT else row.on_demand_usd
        return self.paid(row, kind)

    def paid(self, row: Any, kind: RentalKind) -> int | None:
        """The same; None while the market is unknown too."""
        if self.token is None:
            return None
        return self.pricing.paid_usd(row, subsidy_left(row, self.now), kind, self.token)

    def least(self, offered: int, *, subsidised: bool) -> int:
        """Micro-USD that an order of a machine offered at `offered` pays at least: fees only add, and a subsidy is at
        most the mint's share of the price.
        """
        if not subsidised or self.token is None:
            return offered
        return offered - share_ceil(offered, self.token.terms.subsidy_bps)


def _token(pricing: Pricing, mint: str | None) -> PayableToken | None:
    token = pricing.token(mint)
    if token is None and mint is not None and pricing.market is not None:
        detail = f"Orders are not paid in {mint} now."
        remedy = "GET /api/tokens lists the mints; without `pay` it is the market token."
        raise ApiError(400, "unknown_payment_token", detail, remedy)
    return token


def _first(
    candidates: Iterable[Any], asked: ListingQuery, prices: ShownPrices, behind: Place | None
) -> Sequence[Place]:
    """The smallest places behind one, up to one more than a page. Quotes no machine that cannot be among them, and
    reads on only while one may be: `candidates` come by what they are offered at.
    """
    best: list[Place] = []
    kind = PAID.get(asked.sort)
    for row in candidates:
        if kind is not None and len(best) > asked.limit:
            offered = row.sort_key
            if prices.least(offered, subsidised=True) > best[-1][0]:
                break
            if prices.least(offered, subsidised=subsidy_left(row, prices.now) > 0) > best[-1][0]:
                continue
        place = _place(row, asked, prices, Order.ASC, behind)
        if place is not None:
            insort(best, place)
            del best[asked.limit + 1 :]
    return best


def _last(candidates: Iterable[Any], asked: ListingQuery, prices: ShownPrices, behind: Place | None) -> Sequence[Place]:
    """The largest places before one, up to one more than a page."""
    places = (_place(row, asked, prices, Order.DESC, behind) for row in candidates)
    return nlargest(asked.limit + 1, filter(None, places))


def _place(row: Any, asked: ListingQuery, prices: ShownPrices, order: Order, behind: Place | None) -> Place | None:
    """A row's place; None if it does not match, or comes before the page."""
    if not _fits(row, asked, prices):
        return None
    place = _key(row, asked.sort, order, prices), row.address
    if behind is not None and not (place < behind if order is Order.DESC else place > behind):
        return None
    return place


def _key(row: Any, sort: ListingSort, order: Order, prices: ShownPrices) -> int:
    if sort not in PAID:
        key: int = row.sort_key
        return key
    price = prices.of(row, PAID[sort])
    if price is None:
        return LAST if order is Order.ASC else -LAST
    return price


def _fits(row: Any, asked: ListingFilters, prices: ShownPrices) -> bool:
    for kind, least, most in (
        (RentalKind.ON_DEMAND, asked.min_price, asked.max_price),
        (RentalKind.SPOT, None, asked.max_spot_price),
    ):
        if least is None and most is None:
            continue
        price = prices.of(row, kind)
        if price is None or price < (least or 0) or (most is not None and price > most):
            return False
    return True


def _given(asked: ListingFilters) -> dict[str, object]:
    return {name: value for name, value in asked.filters().items() if value is not None}


@cache
def _candidate(given: frozenset[str]) -> Select[*tuple[Any, ...]]:
    """The listing of that address, if it passes filters."""
    return _candidates(ListingSort.MARKET_PRICE, given).where(Listing.c.address == bindparam("listing"))


@cache
def _candidates(sort: ListingSort, given: frozenset[str]) -> Select[*tuple[Any, ...]]:
    """All listings that pass filters, by sort key, with what their prices depend on."""
    return (
        select(KEYS[sort][0].label("sort_key"), Listing.c.address, *PRICED)
        .select_from(Listing.table)
        .join(Host.table, Host.c.address == Listing.c.host)
        .join(
            MachineFigures.table,
            (MachineFigures.c.listing == Listing.c.address) & (MachineFigures.c.spec_version == Listing.c.spec_version),
            isouter=True,
        )
        .where(Listing.c.closed_at == 0, *(FILTERS[name] for name in sorted(given)))
        .order_by(KEYS[sort][0])
        .execution_options(yield_per=CHUNK)
    )
