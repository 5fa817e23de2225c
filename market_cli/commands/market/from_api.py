"""Listings that only the market's API can tell from others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from solders.pubkey import Pubkey

from anchor_client.api.listings import ListingsApi
from anchor_client.errors import API_FAILURES
from anchor_client.resources.listing import Listing
from market_cli.session import Session

Verified = Annotated[
    bool,
    typer.Option(
        "--verified",
        help="Only machines that renters have paid for an hour of without reporting them; asks the market's API.",
    ),
]
MinDriver = Annotated[
    str | None,
    typer.Option("--min-driver", metavar="VERSION", help="Least driver, as the host measured.", show_default=False),
]
MinTflops = Annotated[
    int | None, typer.Option("--min-tflops", min=0, help="Least FP32 of each GPU, as the host measured.")
]
MinDisk = Annotated[
    int | None, typer.Option("--min-disk-mbps", min=0, help="Least MB/s written to disk, as the host measured.")
]
MinNetwork = Annotated[
    int | None, typer.Option("--min-network-mbps", min=0, help="Least Mbit/s downloaded, as the host measured.")
]


async def told_by_api(session: Session, filters: Mapping[str, str]) -> dict[Pubkey, dict[str, Any]]:
    """The listings of which the filters hold, as the API answers them. NoApi, and the network's errors."""
    async with ListingsApi(session.api_url) as api:
        return await api.listings(filters)


async def as_told_by_api(session: Session, listing: Listing) -> Listing:
    """The listing with what only the index knows of it; as it is where no API is configured, and, with a warning, where
    the API fails or does not have it."""
    if session.settings.api_url is None:
        return listing
    try:
        async with ListingsApi(session.api_url) as api:
            told = await api.listing(listing.id)
    except API_FAILURES as error:
        session.out.warn(f"{error.message}: showing what the chain says alone.")
        return listing
    if told is None:
        session.out.warn(f"The market's API does not know {listing.id} yet: showing what the chain says alone.")
        return listing
    return listing.as_indexed(told)
