"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class CatalogInitialized(Event):
    """CatalogInitialized."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("7a4534b5bd679925")
    LAYOUT: ClassVar[Fields] = Fields(
        catalog=layouts.PUBKEY, mint=layouts.PUBKEY, token_account=layouts.PUBKEY, at=layouts.I64, seq=layouts.U64
    )

    catalog: Pubkey
    mint: Pubkey
    token_account: Pubkey
    at: int
    seq: int
