"""Has the votes of a proposal counted once its vote has ended: anyone may, nobody is paid for it."""

from __future__ import annotations

from collections.abc import Mapping

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Proposal
from anchor_client.rules.proposal import Stage, proposal_stage


def find_due(proposals: Mapping[Pubkey, Proposal], now: int) -> list[Pubkey]:
    """The proposals that may be counted at `now`, the longest ended first."""
    due = [address for address, proposal in proposals.items() if proposal_stage(proposal, now) is Stage.ENDED]
    return sorted(due, key=lambda address: (proposals[address].ends_at, proposals[address].id))
