"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event

from ..types.payment_mint_terms import PaymentMintTerms


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PaymentMintUpdated(Event):
    """PaymentMintUpdated."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("dcdf08e1d384f366")
    LAYOUT: ClassVar[Fields] = Fields(
        payment_mint=layouts.PUBKEY,
        old=layouts.struct(PaymentMintTerms),
        new=layouts.struct(PaymentMintTerms),
        at=layouts.I64,
        seq=layouts.U64,
    )

    payment_mint: Pubkey
    old: PaymentMintTerms
    new: PaymentMintTerms
    at: int
    seq: int
