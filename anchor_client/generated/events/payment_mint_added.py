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
class PaymentMintAdded(Event):
    """PaymentMintAdded."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("907a8570794b14c9")
    LAYOUT: ClassVar[Fields] = Fields(
        payment_mint=layouts.PUBKEY,
        mint=layouts.PUBKEY,
        decimals=layouts.U8,
        terms=layouts.struct(PaymentMintTerms),
        at=layouts.I64,
        seq=layouts.U64,
        freezable=layouts.BOOL,
        mintable=layouts.BOOL,
        supply=layouts.U64,
    )

    payment_mint: Pubkey
    mint: Pubkey
    decimals: int
    terms: PaymentMintTerms
    at: int
    seq: int
    freezable: bool
    """True if the mint's issuer may freeze the vaults and payees' accounts."""
    mintable: bool
    """True if the mint's issuer may mint more."""
    supply: int
    """Base units of the mint that there are."""
