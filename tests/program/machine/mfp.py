"""The MFP lock, and what the catalog says of machines."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule
from solders.pubkey import Pubkey

from anchor_client.generated import errors
from anchor_client.generated.pdas import find_host

from ..harness.actors import AUTHORITY, HOST, RIVAL, STRANGER
from ..harness.staking import (
    CATALOG,
    TOKEN,
    catalog_of,
    lock_mfp,
    refresh_listing,
    set_gpu_model,
    unlock_mfp,
    withdraw_mfp,
)
from ..harness.terms import REFERENCE_USD
from .base import Machine, keepers, which


class MfpRules(Machine):
    @property
    def lockers(self) -> list[Pubkey]:
        """Hosts that have locked tokens, or are taking them out."""
        locks = self.world.audit.books.staking.locks
        return [wallet for wallet in (HOST, RIVAL, STRANGER) if sum(locks.get(find_host(wallet)[0], (0, 0)))]

    def locker(self, index: int) -> Pubkey:
        return self.lockers[index % len(self.lockers)]

    @rule(wallet=st.sampled_from([HOST, RIVAL]), amount=st.one_of(st.integers(1, 50), st.integers(1, 10**6 * TOKEN)))
    def lock(self, wallet: Pubkey, amount: int) -> None:
        self.attempt(lock_mfp(wallet, amount), errors.InsufficientFunds)

    @precondition(lambda self: self.lockers)
    @rule(index=which, amount=st.integers(0, 10**6 * TOKEN), everything=st.booleans(), early=st.integers(-1, 1))
    def unlock(self, index: int, amount: int, everything: bool, early: int) -> None:
        """A host unlocks tokens, and takes them out around the time when it may."""
        wallet = self.locker(index)
        locked = self.world.host(wallet).mfp_locked
        act = unlock_mfp(wallet, locked if everything else min(amount, locked))
        self.attempt(act, errors.ZeroAmount)
        self.wait_until(self.world.host(wallet).mfp_unlock_at - early)
        self.attempt(withdraw_mfp(wallet), errors.LockNotOver, errors.NothingToWithdraw)

    @precondition(lambda self: self.offered())
    @rule(keeper=keepers, points=st.integers(0, 500), reference_usd=st.sampled_from([0, 5_000_000, REFERENCE_USD]))
    def refresh(self, keeper: Pubkey, points: int, reference_usd: int) -> None:
        """The catalog may change, and anyone brings every machine up to it."""
        if self.world.market().authority == AUTHORITY:
            self.act(set_gpu_model(1, points, reference_usd))
        for listing in self.offered():
            model = self.world.listing(listing).gpu_model
            self.act(refresh_listing(self.host_of(listing), listing, keeper, model))

    def leave_locks(self) -> None:
        """Every host takes out what it has locked."""
        for wallet in self.lockers:
            locked = self.world.host(wallet).mfp_locked
            if locked:
                self.act(unlock_mfp(wallet, locked))
        for wallet in self.lockers:
            self.wait_until(self.world.host(wallet).mfp_unlock_at)
            self.act(withdraw_mfp(wallet))
        assert catalog_of(self.world).locked == 0 == self.world.tokens(CATALOG)
