"""Proposals: their votes counted once voting has ended, their actions executed once the timelock is over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Proposal
from anchor_client.generated.instructions import queue_proposal
from anchor_client.market.governance.execution import execution
from anchor_client.rules.proposal import ProposalStage, proposal_stage
from anchor_client.solana.rpc import Reader
from keeper.tasks.task import DueTask, Subject, Task, find_due


@dataclass(frozen=True, slots=True)
class ProposalSubject(Subject):
    """A proposal and its current stage."""

    proposal: Proposal = field(repr=False)
    stage: ProposalStage


QUEUE_PROPOSAL: Final[Task[ProposalSubject]] = Task(
    "queue_proposal",
    lambda subject: subject.proposal.ends_at if subject.stage is ProposalStage.ENDED else None,
    lambda subject, accounts: [queue_proposal(proposal=subject.address, program_id=accounts.program_id)],
)
EXECUTE_PROPOSAL: Final[Task[ProposalSubject]] = Task(
    "execute_proposal",
    lambda subject: subject.proposal.execute_at if subject.stage is ProposalStage.DUE else None,
    lambda subject, accounts: execution(subject.proposal, accounts.caller, accounts.program_id),
)
GOVERNANCE_TASKS: Final = (QUEUE_PROPOSAL, EXECUTE_PROPOSAL)


async def find_proposals_due(reader: Reader, now: int) -> list[DueTask[Any]]:
    """The proposals to count, then those to execute. Raises network errors."""
    return list(find_due(GOVERNANCE_TASKS, proposal_subjects(await reader.read_all(Proposal), now), now))


def proposal_subjects(proposals: Mapping[Pubkey, Proposal], now: int) -> list[ProposalSubject]:
    """Each proposal with its stage at `now`."""
    return [ProposalSubject(address, each, proposal_stage(each, now)) for address, each in proposals.items()]
