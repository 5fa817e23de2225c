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
