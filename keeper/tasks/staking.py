"""Rewards: fees swept to the stakers once an epoch, and epochs ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import Market, StakePool, Vault
from anchor_client.generated.constants import BPS
from anchor_client.generated.pdas import find_market, find_pool
from anchor_client.rules.stake_pool import is_full, reward_mints
from anchor_client.solana.rpc import Reader
from anchor_client.solana.tokens import associated_token, create_associated_token
from keeper.tasks.task import Accounts, Due, Subject, Task, find_due


@dataclass(frozen=True, slots=True)
class VaultSubject(Subject):
    """A vault, the treasury that its fees go to, whether stakers have a share in them, and whether the pool pays
    rewards in its mint: if it never can, their share goes to the treasury.

    Once swept it rests until the epoch ends.
    """

    vault: Vault = field(repr=False)
    treasury: Pubkey
    for_stakers: bool
    has_stream: bool
    epoch_ends_at: int

    @property
    def rests_until(self) -> int:
        return self.epoch_ends_at


@dataclass(frozen=True, slots=True)
class PoolSubject(Subject):
    """The stake pool."""

    pool: StakePool = field(repr=False)


def _sweep(subject: VaultSubject, accounts: Accounts) -> list[Instruction]:
    """The fees, with the treasury's token account made if it is missing, and then the stakers' share."""
    vault, mint, caller, program = subject.vault, subject.vault.mint, accounts.caller, accounts.program_id
    acts = []
    if vault.fees_due > 0:
        token = associated_token(subject.treasury, mint)
        acts = [
            create_associated_token(caller, subject.treasury, mint),
            build.sweep_fees(
                caller=caller, vault=subject.address, vault_data=vault, treasury_token=token, program_id=program
            ),
        ]
    if subject.for_stakers:
        acts.append(
            build.sweep_stakers(
                caller=caller,
                vault=subject.address,
                vault_data=vault,
                stream_token=None if subject.has_stream else associated_token(subject.treasury, mint),
                program_id=program,
            )
        )
    return acts


def _advance(_: PoolSubject, accounts: Accounts) -> list[Instruction]:
    return [build.advance_epoch(program_id=accounts.program_id)]


def _epoch_over_at(subject: PoolSubject) -> int | None:
    """Never while there are neither stake nor rewards: an empty pool can wait for its first staker."""
    pool = subject.pool
    in_use = pool.active + pool.warming > 0 or any(stream.queued for stream in pool.rewards)
    return pool.epoch_ends_at if in_use else None


SWEEP_FEES: Final[Task[VaultSubject]] = Task(
    "sweep_fees", lambda subject: 0 if subject.vault.fees_due > 0 or subject.for_stakers else None, _sweep
)
ADVANCE_EPOCH: Final[Task[PoolSubject]] = Task("advance_epoch", _epoch_over_at, _advance)


async def find_rewards_due(reader: Reader, now: int) -> list[Due[Any]]:
    """The vaults to sweep, then the pool: what the sweeps bring is shared in the next epoch.

    Raises network errors.
    """
    program = reader.program_id
    address = find_pool(program)[0]
    market = await reader.read(Market, find_market(program)[0])
    pool = await reader.read(StakePool, address)
    if market is None or pool is None:
        return []
    rests_until = next_end(pool, market.epoch_seconds, now)
    vaults = vault_subjects(await reader.read_all(Vault), market, pool, rests_until)
    return [*find_due([SWEEP_FEES], vaults, now), *find_due([ADVANCE_EPOCH], [PoolSubject(address, pool)], now)]


def vault_subjects(
    vaults: Mapping[Pubkey, Vault], market: Market, pool: StakePool, rests_until: int
) -> list[VaultSubject]:
    """Each vault; the stakers' share waits in a mint that the pool may still come to pay rewards in."""
    paid = reward_mints(pool)
    found = []
    for address, vault in vaults.items():
        share = vault.stakers_due + vault.fees_due * market.fee_stakers_bps // BPS
        has_stream = vault.mint in paid
        for_stakers = share > 0 and (has_stream or is_full(pool))
        found.append(VaultSubject(address, vault, market.treasury, for_stakers, has_stream, rests_until))
    return found


def next_end(pool: StakePool, epoch_seconds: int, now: int) -> int:
    """When the epoch ends that `now` falls into, however many have ended before without being passed."""
    return pool.epoch_ends_at + max((now - pool.epoch_ends_at) // epoch_seconds + 1, 0) * epoch_seconds
