"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class AuthorityHandedOver(Event):
    """From now on only executed proposals act as the market's authority."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("ef06e473b3b9ab59")
    LAYOUT: ClassVar[Fields] = Fields(
        market=layouts.PUBKEY, old=layouts.PUBKEY, new=layouts.PUBKEY, at=layouts.I64, seq=layouts.U64
    )

    market: Pubkey
    old: Pubkey
    new: Pubkey
    at: int
    seq: int
