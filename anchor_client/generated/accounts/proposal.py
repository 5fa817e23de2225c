"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Account


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Proposal(Account):
    """Something that stakers vote on, at seeds `"proposal", proposer, nonce`. The rules of its vote are those of the
    market when it was made.
    """

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("1a5ebdbb74883521")
    SIZE: ClassVar[int] = 320
    OFFSETS: ClassVar[Mapping[str, int]] = MappingProxyType(
        {
            "version": 8,
            "bump": 9,
            "state": 10,
            "critical": 11,
            "reserved_flags": 12,
            "proposer": 16,
            "id": 48,
            "seq": 56,
            "created_at": 64,
            "ends_at": 72,
            "execute_at": 80,
            "held_until": 88,
            "eligible": 96,
            "votes_for": 104,
            "votes_against": 112,
            "timelock": 120,
            "voters": 124,
            "quorum_bps": 128,
            "threshold_bps": 130,
            "reserved_middle": 132,
            "action": 136,
            "reserved": 264,
            "nonce": 312,
        }
    )
    LAYOUT: ClassVar[Fields] = Fields(
        version=layouts.U8,
        bump=layouts.U8,
        state=layouts.U8,
        critical=layouts.U8,
        reserved_flags=layouts.byte_array(4),
        proposer=layouts.PUBKEY,
        id=layouts.U64,
        seq=layouts.U64,
        created_at=layouts.I64,
        ends_at=layouts.I64,
        execute_at=layouts.I64,
        held_until=layouts.I64,
        eligible=layouts.U64,
        votes_for=layouts.U64,
        votes_against=layouts.U64,
        timelock=layouts.U32,
        voters=layouts.U32,
        quorum_bps=layouts.U16,
        threshold_bps=layouts.U16,
        reserved_middle=layouts.byte_array(4),
        action=layouts.byte_array(128),
        reserved=layouts.byte_array(48),
        nonce=layouts.U64,
    )

    version: int
    bump: int
    state: int
    """See [`ProposalState`]."""
    critical: int
    """True if its action is critical, see [`Action::is_critical`]."""
    reserved_flags: bytes
    proposer: Pubkey
    id: int
    """Its number among the market's proposals."""
    seq: int
    created_at: int
    ends_at: int
    """Votes count before it, and are counted from then on."""
    execute_at: int
    """From when it may be executed; zero until queued."""
    held_until: int
    """Latest end of the votes that were open at its opening, its own among them, if it is critical; zero otherwise.
    Stake that they hold can leave from then on.
    """
    eligible: int
    """Base units of stake that a quorum is a share of."""
    votes_for: int
    votes_against: int
    timelock: int
    voters: int
    quorum_bps: int
    threshold_bps: int
    reserved_middle: bytes
    action: bytes
    """An [`Action`] in Borsh."""
    reserved: bytes
    nonce: int
    """The stake account's next one when it was made."""
