"""Executes what was voted for once its timelock is over: anyone may, nobody is paid for it."""

from __future__ import annotations

from collections.abc import Mapping

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Proposal
from anchor_client.rules.proposal import Stage, proposal_stage


def find_due(proposals: Mapping[Pubkey, Proposal], now: int) -> list[Pubkey]:
    """The proposals that may be executed at `now`, those first that expire first."""
    due = [address for address, proposal in proposals.items() if proposal_stage(proposal, now) is Stage.DUE]
    return sorted(due, key=lambda address: (proposals[address].execute_at, proposals[address].id))
