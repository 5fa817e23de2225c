"""Rewards: fees swept to the stakers once an epoch, and epochs ended."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import Market, StakePool, Vault
from anchor_client.generated.pdas import find_market, find_pool
from anchor_client.rules.stake_pool import is_full, reward_mints
from anchor_client.rules.vault import swept
from anchor_client.solana.rpc import Reader
from anchor_client.solana.tokens import associated_token, create_associated_token, takes_tokens
from keeper.tasks.task import DueTask, Subject, Task, TaskAccounts, find_due


@dataclass(frozen=True, slots=True)
class TreasuryAccount:
    """The treasury, and its associated account in a mint."""

    owner: Pubkey
    token: Pubkey
    is_missing: bool
    takes: bool
    """False while the account is frozen or not the treasury's any more: its share then waits in the vault."""


@dataclass(frozen=True, slots=True)
class VaultSubject(Subject):
    """A vault, the treasury that its fees go to, whether stakers have a share in them, and whether the pool pays
    rewards in its mint: if it never can, their share goes to the treasury.

    Once swept it rests until the epoch ends.
    """

    vault: Vault = field(repr=False)
    treasury: TreasuryAccount
    for_stakers: bool
    has_stream: bool
    epoch_ends_at: int

    @property
    def rests_until(self) -> int:
        return self.epoch_ends_at

    @property
    def has_fees(self) -> bool:
        """True if there are fees to divide, or a share that the treasury can take now."""
        return self.vault.fees_due > 0 or (self.vault.treasury_due > 0 and self.treasury.takes)

    @property
    def for_pool(self) -> bool:
        """True if the stakers' share can move."""
        return self.for_stakers and (self.has_stream or self.treasury.takes)


@dataclass(frozen=True, slots=True)
class PoolSubject(Subject):
    """The stake pool."""

    pool: StakePool = field(repr=False)


def _sweep(subject: VaultSubject, accounts: TaskAccounts) -> list[Instruction]:
    """The fees, with the treasury's token account made if it is missing, and then the stakers' share."""
    vault = subject.vault
    treasury = subject.treasury
    caller = accounts.caller
    program = accounts.program_id
    acts = []
    if treasury.is_missing and (subject.has_fees or not subject.has_stream):
        acts.append(create_associated_token(caller, treasury.owner, vault.mint))
    if subject.has_fees:
        acts.append(
            build.sweep_fees(
                caller=caller,
                vault=subject.address,
                vault_data=vault,
                treasury_token=treasury.token,
                program_id=program,
            )
        )
    if subject.for_pool:
        acts.append(
            build.sweep_stakers(
                caller=caller,
                vault=subject.address,
                vault_data=vault,
                stream_token=None if subject.has_stream else treasury.token,
                program_id=program,
            )
        )
    return acts


def _advance(_: PoolSubject, accounts: TaskAccounts) -> list[Instruction]:
    return [build.advance_epoch(program_id=accounts.program_id)]


def _epoch_over_at(subject: PoolSubject) -> int | None:
    """Never while there are neither stake nor rewards: an empty pool can wait for its first staker."""
    pool = subject.pool
    in_use = pool.active + pool.warming > 0 or any(stream.queued for stream in pool.rewards)
    return pool.epoch_ends_at if in_use else None


SWEEP_FEES: Final[Task[VaultSubject]] = Task(
    "sweep_fees",
    lambda subject: 0 if subject.has_fees or subject.for_pool else None,
    _sweep,
)
ADVANCE_EPOCH: Final[Task[PoolSubject]] = Task("advance_epoch", _epoch_over_at, _advance)


async def find_rewards_due(reader: Reader, now: int) -> list[DueTask[Any]]:
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
    vaults = await reader.read_all(Vault)
    found = {
        address: vault for address, vault in vaults.items() if vault.fees_due + vault.stakers_due + vault.treasury_due
    }
    treasuries = await read_treasuries(reader, market.treasury, {vault.mint for vault in found.values()})
    subjects = vault_subjects(found, market, pool, treasuries, rests_until)
    return [*find_due([SWEEP_FEES], subjects, now), *find_due([ADVANCE_EPOCH], [PoolSubject(address, pool)], now)]


async def read_treasuries(reader: Reader, owner: Pubkey, mints: Collection[Pubkey]) -> dict[Pubkey, TreasuryAccount]:
    """The treasury's associated account in each mint. Raises network errors."""
    tokens = {mint: associated_token(owner, mint) for mint in mints}
    accounts = await reader.accounts(list(tokens.values()))
    return {
        mint: TreasuryAccount(owner, token, account is None, account is None or takes_tokens(account, owner, mint))
        for (mint, token), account in zip(tokens.items(), accounts, strict=True)
    }


def vault_subjects(
    vaults: Mapping[Pubkey, Vault],
    market: Market,
    pool: StakePool,
    treasuries: Mapping[Pubkey, TreasuryAccount],
    rests_until: int,
) -> list[VaultSubject]:
    """Each vault; the stakers' share waits in a mint that the pool may still come to pay rewards in."""
    paid = reward_mints(pool)
    found = []
    for address, vault in vaults.items():
        share = vault.stakers_due + swept(vault, market).stakers
        has_stream = vault.mint in paid
        for_stakers = share > 0 and (has_stream or is_full(pool))
        found.append(VaultSubject(address, vault, treasuries[vault.mint], for_stakers, has_stream, rests_until))
    return found


def next_end(pool: StakePool, epoch_seconds: int, now: int) -> int:
    """When the epoch ends that `now` falls into, however many have ended before without being passed."""
    return pool.epoch_ends_at + max((now - pool.epoch_ends_at) // epoch_seconds + 1, 0) * epoch_seconds
