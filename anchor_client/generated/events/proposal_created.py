"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event

from ..types.action import Action


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ProposalCreated(Event):
    """The rules of the vote, and what it is about."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("ba08a06c510d33ce")
    LAYOUT: ClassVar[Fields] = Fields(
        proposal=layouts.PUBKEY,
        id=layouts.U64,
        proposer=layouts.PUBKEY,
        eligible=layouts.U64,
        quorum_bps=layouts.U16,
        threshold_bps=layouts.U16,
        timelock=layouts.U32,
        ends_at=layouts.I64,
        at=layouts.I64,
        seq=layouts.U64,
        market_seq=layouts.U64,
        stake_seq=layouts.U64,
        critical=layouts.BOOL,
        action=layouts.tagged_union(Action),
        title=layouts.STRING,
    )

    proposal: Pubkey
    id: int
    proposer: Pubkey
    eligible: int
    quorum_bps: int
    threshold_bps: int
    timelock: int
    ends_at: int
    at: int
    seq: int
    market_seq: int
    stake_seq: int
    critical: bool
    """True if it is one that the guardian may veto."""
    action: Action
    title: str
