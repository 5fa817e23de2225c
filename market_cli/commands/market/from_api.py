"""Listings that only the market's API can tell from others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from solders.pubkey import Pubkey

from anchor_client.api.listings import ListingsApi
from market_cli.session import Session

Verified = Annotated[
    bool,
    typer.Option(
        "--verified",
        help="Only machines that renters have paid for an hour of without reporting them; asks the market's API.",
    ),
]


async def told_by_api(session: Session, filters: Mapping[str, str]) -> dict[Pubkey, dict[str, Any]]:
    """The listings of which the filters hold, as the API answers them. NoApi, and the network's errors."""
    async with ListingsApi(session.api_url) as api:
        return await api.listings(filters)
