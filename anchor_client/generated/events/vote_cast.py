"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class VoteCast(Event):
    """`votes_for` and `votes_against` are the totals after it; the stake stays in place until `voting_until`."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("2735c368bc11e1d5")
    LAYOUT: ClassVar[Fields] = Fields(
        proposal=layouts.PUBKEY,
        voter=layouts.PUBKEY,
        support=layouts.BOOL,
        weight=layouts.U64,
        votes_for=layouts.U64,
        votes_against=layouts.U64,
        voting_until=layouts.I64,
        at=layouts.I64,
        seq=layouts.U64,
        stake_seq=layouts.U64,
    )

    proposal: Pubkey
    voter: Pubkey
    support: bool
    weight: int
    votes_for: int
    votes_against: int
    voting_until: int
    at: int
    seq: int
    stake_seq: int
