from __future__ import annotations

import json

from anchor_client.generated.events import ProposalCreated
from anchor_client.generated.pdas import find_market
from anchor_client.governance import action_fields, kind_of
from indexer.handlers.stakes import hold
from indexer.handlers.step import Step
from indexer.models import Market, Proposal


def on_proposal_created(event: ProposalCreated, step: Step) -> None:
    """An action is put to the vote."""
    address = find_market()[0]
    market = step.rows.change(Market, str(address))
    if market is None:
        step.unknown("market", address, event.market_seq)
    else:
        market.seq = step.follow("market", address, market.seq, event.market_seq)
    hold(step, event.proposer, event.stake_seq, event.ends_at)
    step.rows.add(
        Proposal(
            address=str(event.proposal),
            number=event.id,
            proposer=str(event.proposer),
            title=event.title,
            kind=kind_of(event.action),
            action=json.dumps(action_fields(event.action)),
            state="voting",
            eligible=event.eligible,
            quorum_bps=event.quorum_bps,
            threshold_bps=event.threshold_bps,
            timelock=event.timelock,
            created_at=event.at,
            ends_at=event.ends_at,
            create_signature=step.signature,
            seq=step.follow("proposal", event.proposal, 0, event.seq),
        )
    )
