"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Struct

from .oracle_kind import OracleKind


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PaymentMintTerms(Struct):
    """Decisions of the authority about a payment mint."""

    LAYOUT: ClassVar[Fields] = Fields(
        oracle_kind=layouts.unit_enum(OracleKind),
        enabled=layouts.BOOL,
        shards=layouts.U8,
        oracle=layouts.PUBKEY,
        pinned_price=layouts.U64,
        max_age=layouts.U32,
        subsidy_bps=layouts.U16,
        burn_bps=layouts.U16,
        extra_fee_bps=layouts.U16,
        max_confidence_bps=layouts.U16,
    )

    oracle_kind: OracleKind
    enabled: bool
    shards: int
    oracle: Pubkey
    """The posting key, or the id of the Pyth feed; ignored when pinned."""
    pinned_price: int
    """Pico-USD per whole token, taken when pinned; ignored otherwise."""
    max_age: int
    """Seconds."""
    subsidy_bps: int
    burn_bps: int
    extra_fee_bps: int
    max_confidence_bps: int
    """Widest confidence interval that an order may be priced with, as a share of a Pyth price."""
