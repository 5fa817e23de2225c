"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event

from ..types.pool_totals import PoolTotals
from ..types.stake_state import StakeState


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RewardsCompounded(Event):
    """Claimed market tokens became warming stake."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("91565e5e678fbd5f")
    LAYOUT: ClassVar[Fields] = Fields(
        stake=layouts.PUBKEY,
        owner=layouts.PUBKEY,
        stream=layouts.U8,
        amount=layouts.U64,
        state=layouts.struct(StakeState),
        pool=layouts.struct(PoolTotals),
        at=layouts.I64,
        seq=layouts.U64,
        pool_seq=layouts.U64,
    )

    stake: Pubkey
    owner: Pubkey
    stream: int
    amount: int
    state: StakeState
    pool: PoolTotals
    at: int
    seq: int
    pool_seq: int
