"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event

from ..types.market_key import MarketKey


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class MarketKeyUpdated(Event):
    """MarketKeyUpdated."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("da1fce5d92e12495")
    LAYOUT: ClassVar[Fields] = Fields(
        market=layouts.PUBKEY,
        key=layouts.unit_enum(MarketKey),
        old=layouts.PUBKEY,
        new=layouts.PUBKEY,
        at=layouts.I64,
        seq=layouts.U64,
    )

    market: Pubkey
    key: MarketKey
    old: Pubkey
    new: Pubkey
    at: int
    seq: int
