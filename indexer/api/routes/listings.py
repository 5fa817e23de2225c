"""GET /api/marketplace/listings: machines on offer."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import BaseModel
from sqlalchemy import Connection, Row, and_, bindparam, select

from anchor_client.generated.types import Silence
from anchor_client.resources.listing import Listing, Measured, listing_of
from anchor_client.resources.rate import order_rates
from anchor_client.rules.hourly import Pricing
from anchor_client.rules.subsidy import subsidy_left
from anchor_client.rules.verified import is_verified
from indexer.api.deps import Chain
from indexer.api.errors import missing, refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.kept.dependence import kept
from indexer.api.kept.making import keeping
from indexer.api.listing_prices import needs_prices, priced_page
from indexer.api.listing_query import KEYS, ListingQuery, listing_pages
from indexer.api.pages import NextCursor
from indexer.api.words import MILLISECONDS, AddressText
from indexer.models import Host, MachineFigures, Market, PaymentMint, Vault
from indexer.models import Listing as ListingRow
from indexer.status import Status
from indexer.store.pricing import pricing
from indexer.store.queries import ONLINE, heard_since

router = StrictRouter(prefix="/api/marketplace/listings", tags=["market"])


class ListingPage(BaseModel):
    """A page of listings and the next cursor."""

    listings: list[Listing]
    next_cursor: NextCursor


READ = (
    *(
        "host",
        "authority",
        "operator",
        "number",
        "gpu_model",
        "gpu_count",
        "reference_usd",
        "vram_gb",
        "region",
        "cpu_cores",
        "ram_gb",
        "visible",
    ),
    *("disk_kind", "disk_gb", "disk_mbps", "net_up_mbps", "net_down_mbps", "cuda", "spec_version"),
    *("spot_min_usd", "mrl_seconds", "keep_days"),
    *("bandwidth_usd", "bandwidth_free_gb", "storage_usd", "current", "challenger", "last_heartbeat_at"),
    *("silence", "answer_by", "owed", "owed_mint", "issues", "proven_seconds"),
    *("tracked_seconds", "up_seconds", "rating_sum", "rating_weight", "completed", "failed", "refused"),
)
MEASURED = tuple(name for name in Measured.names() if name != "measured_at")
OWN_FIGURES = and_(
    MachineFigures.c.listing == ListingRow.c.address, MachineFigures.c.spec_version == ListingRow.c.spec_version
)
"""Figures for the machine's current specs."""
READS = (ListingRow, Host, MachineFigures, Market, PaymentMint, Vault)
LISTED = (
    select(
        ListingRow.c.on_demand_usd,
        ListingRow.c.address,
        *(ListingRow.c[name] for name in READ),
        *(
            Host.c[name]
            for name in ("score_bps", "approved", "registered_at", "subsidy_budget", "subsidy_booked", "subsidy_day")
        ),
        ONLINE.label("online"),
        MachineFigures.c.signed_at,
        *(MachineFigures.c[name].label(f"measured_{name}") for name in MEASURED),
    )
    .select_from(ListingRow.table)
    .join(Host.table, Host.c.address == ListingRow.c.host)
    .join(MachineFigures.table, OWN_FIGURES, isouter=True)
    .where(ListingRow.c.closed_at == 0)
)
PAGES = listing_pages(LISTED)
LISTING = LISTED.where(ListingRow.c.address == bindparam("listing"))


@router.get("", summary="Listings, cheapest first by default", responses=refusals(400, 422))
@kept(*READS)
async def list_listings(
    request: Request,
    chain: Chain,
    asked: Annotated[ListingQuery, Query()],
) -> ListingPage:
    """A page of existing listings; hidden ones appear only in lists of their host."""
    return await keeping(request, lambda connection: _page(connection, asked, chain))


@router.get("/{id}", summary="One listing", responses=refusals(404, 422))
@kept(*READS)
async def get_listing(request: Request, chain: Chain, id: AddressText) -> Listing:
    """A listing by its address, also a hidden one."""
    return await keeping(request, lambda connection: _one(connection, id, chain))


def _page(connection: Connection, asked: ListingQuery, chain: Status) -> ListingPage:
    terms, now, parameters = pricing(connection, chain), chain.now(), heard_since(chain)
    if needs_prices(asked):
        rows, following = priced_page(connection, LISTED, asked, terms, now, parameters)
    else:
        pages = PAGES[asked.sort, asked.order or KEYS[asked.sort][1]]
        rows, following = pages.read(
            connection, asked.filters(), limit=asked.limit, cursor=asked.cursor, parameters=parameters
        )
    return ListingPage(listings=[_listing(row, terms, now) for row in rows], next_cursor=following)


def _one(connection: Connection, id: str, chain: Status) -> Listing:
    found = find_listing(connection, id, chain)
    if found is None:
        raise missing("listing", id)
    return found


def find_listing(connection: Connection, id: str, chain: Status) -> Listing | None:
    """A listing as the API shows it; None if there is none."""
    row = connection.execute(LISTING, {"listing": id, **heard_since(chain)}).first()
    return None if row is None else _listing(row, pricing(connection, chain), chain.now())


def _listing(row: Row[*tuple[Any, ...]], terms: Pricing, now: int) -> Listing:
    return listing_of(
        row,
        id=row.address,
        number=row.number,
        current=row.current,
        challenger=row.challenger,
        approved=row.approved,
        online=bool(row.online),
        score_bps=row.score_bps,
        host_since=row.registered_at,
        rates=order_rates(row, subsidy_left(row, now), terms),
        silence=Silence[row.silence.upper()],
        answer_by=row.answer_by,
        owed_mint=row.owed_mint,
        issues=row.issues,
        verified=is_verified(row.proven_seconds),
        measured=_measured(row),
    )


def _measured(row: Row[*tuple[Any, ...]]) -> Measured | None:
    if row.signed_at is None:
        return None
    figures = {name: getattr(row, f"measured_{name}") for name in MEASURED}
    return Measured.known(measured_at=row.signed_at // MILLISECONDS, **figures)
