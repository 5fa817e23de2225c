"""Carries votes through: has them counted and executes what was voted for."""

from __future__ import annotations

from typing import Final

from anchor_client.generated.accounts import Proposal
from anchor_client.generated.instructions import queue_proposal
from anchor_client.governance import execution
from keeper.chores.chore import Errand, Look
from keeper.settings import ChoreName
from keeper.tasks import execute_proposal as execute_task
from keeper.tasks import queue_proposal as queue_task

QUEUE_PROPOSAL: Final = "queue_proposal"
EXECUTE_PROPOSAL: Final = "execute_proposal"


class Votes:
    """Moves on whatever proposals may be moved on."""

    name: Final = ChoreName.VOTES

    async def find_due(self, look: Look) -> list[Errand]:
        """The proposals to count, then those to execute. Raises the network's errors."""
        proposals = await look.reader.read_all(Proposal)
        program = look.reader.program_id
        count = [
            Errand(QUEUE_PROPOSAL, address, [[queue_proposal(proposal=address, program_id=program)]])
            for address in queue_task.find_due(proposals, look.now)
        ]
        execute = [
            Errand(EXECUTE_PROPOSAL, address, [execution(proposals[address], look.payer, program)])
            for address in execute_task.find_due(proposals, look.now)
        ]
        return count + execute
