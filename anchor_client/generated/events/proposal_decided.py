"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event

from ..types.proposal_state import ProposalState


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ProposalDecided(Event):
    """The votes were counted: queued, to be executed from `execute_at` and before `expires_at`, or defeated."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("a790758f674c65eb")
    LAYOUT: ClassVar[Fields] = Fields(
        proposal=layouts.PUBKEY,
        state=layouts.unit_enum(ProposalState),
        votes_for=layouts.U64,
        votes_against=layouts.U64,
        execute_at=layouts.I64,
        expires_at=layouts.I64,
        at=layouts.I64,
        seq=layouts.U64,
    )

    proposal: Pubkey
    state: ProposalState
    votes_for: int
    votes_against: int
    execute_at: int
    """Zero when defeated, as is `expires_at`."""
    expires_at: int
    at: int
    seq: int
