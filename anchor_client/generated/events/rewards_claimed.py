"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event

from ..types.stake_state import StakeState


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RewardsClaimed(Event):
    """RewardsClaimed."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("4b625812db705879")
    LAYOUT: ClassVar[Fields] = Fields(
        stake=layouts.PUBKEY,
        owner=layouts.PUBKEY,
        stream=layouts.U8,
        mint=layouts.PUBKEY,
        amount=layouts.U64,
        state=layouts.struct(StakeState),
        at=layouts.I64,
        seq=layouts.U64,
        pool_seq=layouts.U64,
    )

    stake: Pubkey
    owner: Pubkey
    stream: int
    mint: Pubkey
    amount: int
    state: StakeState
    at: int
    seq: int
    pool_seq: int
