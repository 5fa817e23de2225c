"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event

from ..types.market_parameter import MarketParameter


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class MarketUpdated(Event):
    """MarketUpdated."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("aa334a9374a8d9fb")
    LAYOUT: ClassVar[Fields] = Fields(
        market=layouts.PUBKEY,
        parameter=layouts.unit_enum(MarketParameter),
        old=layouts.U64,
        new=layouts.U64,
        at=layouts.I64,
        seq=layouts.U64,
    )

    market: Pubkey
    parameter: MarketParameter
    old: int
    new: int
    at: int
    seq: int
