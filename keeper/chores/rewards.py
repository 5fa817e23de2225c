"""Keeps rewards flowing: fees to stakers once an epoch, and epochs ended in time."""

from __future__ import annotations

from typing import Final

from anchor_client.generated.accounts import Market, StakePool, Vault
from anchor_client.generated.instructions import advance_epoch
from anchor_client.generated.pdas import find_market, find_pool
from keeper.chores.chore import Errand, Look
from keeper.settings import ChoreName
from keeper.tasks import advance_epoch as advance_task
from keeper.tasks import sweep_fees

SWEEP_FEES: Final = "sweep_fees"
ADVANCE_EPOCH: Final = "advance_epoch"


class Rewards:
    """Sweeps each vault once an epoch and ends epochs, the sweeps first: what they bring is shared in the next."""

    name: Final = ChoreName.REWARDS

    async def find_due(self, look: Look) -> list[Errand]:
        """The vaults to sweep, then the pool if its epoch is over. Raises the network's errors."""
        reader, program = look.reader, look.reader.program_id
        address = find_pool(program)[0]
        market = await reader.read(Market, find_market(program)[0])
        pool = await reader.read(StakePool, address)
        if market is None or pool is None:
            return []
        rests_until = advance_task.next_end(pool, market.epoch_seconds, look.now)
        sweeps = sweep_fees.find_due(await reader.read_all(Vault), market, pool)
        errands = [
            Errand(SWEEP_FEES, due.vault, [sweep_fees.instructions_of(due, market, look.payer, program)], rests_until)
            for due in sweeps
        ]
        if advance_task.is_due(pool, look.now):
            errands.append(Errand(ADVANCE_EPOCH, address, [[advance_epoch(program_id=program)]]))
        return errands
