"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class MarketInitialized(Event):
    """MarketInitialized."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("86a07a573203ff51")
    LAYOUT: ClassVar[Fields] = Fields(
        market=layouts.PUBKEY,
        authority=layouts.PUBKEY,
        guardian=layouts.PUBKEY,
        market_mint=layouts.PUBKEY,
        treasury=layouts.PUBKEY,
        testing=layouts.BOOL,
        at=layouts.I64,
        seq=layouts.U64,
    )

    market: Pubkey
    authority: Pubkey
    guardian: Pubkey
    market_mint: Pubkey
    treasury: Pubkey
    testing: bool
    """True if it is a market for tests, whose parameters have wider bounds; for ever."""
    at: int
    seq: int
