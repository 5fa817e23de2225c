"""Schedule of comparisons of vaults with the chain, a few at each look."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from solders.pubkey import Pubkey
from sqlalchemy import Engine

from indexer.index.proof.reconcile import VaultAddresses, known_vaults, reconcile
from indexer.index.proof.supply import burned_mint, check_supply
from indexer.index.sources.head import MAX_ACCOUNTS, Head
from indexer.store.threads import in_thread

OTHERS = 3
"""Accounts of each look: the clock, the market and the market token's mint."""
VAULTS_A_LOOK = (MAX_ACCOUNTS - OTHERS) // 2


class Proofs:
    """Every vault is due once in `interval` seconds; one that differs, at every look until it no longer does."""

    def __init__(self, engine: Engine, interval: float, *, now: Callable[[], float] = time.monotonic) -> None:
        self._engine = engine
        self._interval = interval
        self._now = now
        self._again_at = 0.0
        self._agreeing: set[str] = set()
        self._doubted: dict[str, int] = {}
        self._certain: set[str] = set()
        self._due: list[VaultAddresses] = []
        self._mint_is_due = False
        self._mint_doubted: int | None = None
        self.is_complete = False
        """True once every vault and the mint have been compared since the last `begin`, and what differs twice."""

    def begin(self) -> bool:
        """Starts over if it is time to; True if so."""
        if self._now() < self._again_at:
            return False
        self._agreeing.clear()
        self._certain.clear()
        self._mint_is_due = True
        self.is_complete = False
        self._again_at = self._now() + self._interval
        return True

    def due(self) -> list[VaultAddresses]:
        """Vaults to read with the next head."""
        return self._due[:VAULTS_A_LOOK]

    async def mint_due(self) -> Pubkey | None:
        """The mint to read with the next head."""
        if not self._mint_is_due:
            return None
        return await in_thread(burned_mint, self._engine)

    async def prove_supply(self, mint: Pubkey, data: bytes | None, head: Head) -> None:
        """Compares a mint with the index, which is complete up to the head that it was read with."""
        is_certain = await in_thread(check_supply, self._engine, mint, data, head, self._mint_doubted)
        self._mint_doubted = None if is_certain else self._mint_doubted or head.slot
        self._mint_is_due = not is_certain

    async def prove(self, vaults: Sequence[VaultAddresses], head: Head) -> bool:
        """Compares vaults with a head up to which the index is complete; whether others can be compared at once."""
        differing: set[str] = set()
        if vaults:
            proof = await in_thread(reconcile, self._engine, vaults, head, self._doubted)
            self._agreeing |= set(proof.agreeing)
            self._doubted = {name: slot for name, slot in self._doubted.items() if name not in proof.agreeing} | {
                name: self._doubted.get(name, head.slot) for name in proof.doubts
            }
            self._certain = (self._certain | proof.differences.keys()) - set(proof.agreeing)
            differing = {*proof.differences, *proof.doubts}
        known = await in_thread(known_vaults, self._engine)
        left = [vault for vault in known if vault.vault not in self._agreeing]
        self.is_complete = all(vault.vault in self._certain for vault in left) and await self.mint_due() is None
        fresh = [vault for vault in left if vault.vault not in differing]
        self._due = [*fresh, *(vault for vault in left if vault.vault in differing)]
        return any(vault.vault not in self._doubted for vault in fresh)
