"""What routes depend on, typed once."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query, Request
from pydantic import BeforeValidator, Field
from solders.pubkey import Pubkey

from anchor_client.market.client import Market
from indexer.api.transactions import Reads, Writes
from indexer.settings import Settings
from indexer.status import Status


def _address(text: str) -> str:
    try:
        return str(Pubkey.from_string(text))
    except ValueError as error:
        raise ValueError("not a base58 address of 32 bytes") from error


AddressText = Annotated[
    str,
    BeforeValidator(_address),
    Field(description="A base58 address.", examples=["So11111111111111111111111111111111111111112"]),
]
Limit = Annotated[int, Query(ge=1, le=200)]
CursorText = Annotated[str | None, Query(description="next_cursor of the previous page.")]


async def _settings(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings


async def _reads(request: Request) -> Reads:
    reads: Reads = request.app.state.reads
    return reads


async def _writes(request: Request) -> Writes:
    writes: Writes = request.app.state.writes
    return writes


async def _status(request: Request) -> Status:
    status: Status = request.app.state.status
    return status


async def _market(request: Request) -> Market:
    market: Market = request.app.state.market
    return market


ApiSettings = Annotated[Settings, Depends(_settings)]
Read = Annotated[Reads, Depends(_reads)]
Write = Annotated[Writes, Depends(_writes)]
Chain = Annotated[Status, Depends(_status)]
MarketClient = Annotated[Market, Depends(_market)]
"""Without a wallet: it plans and never signs."""
