"""Accounts as of the finalized slot, while the bank is ahead of it."""

from collections.abc import Callable, Iterable

from solders.account import Account
from solders.pubkey import Pubkey

Read = Callable[[Pubkey], Account | None]


class FinalizedView:
    """Remembers, for each slot not yet finalized, how the accounts it writes looked before."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._before: dict[int, dict[Pubkey, Account | None]] = {}

    def remember(self, slot: int, addresses: Iterable[Pubkey]) -> None:
        """To be called before anything writes the addresses in a slot."""
        before = self._before.setdefault(slot, {})
        for address in addresses:
            if address not in before:
                before[address] = self._read(address)

    def written(self, slot: int) -> list[Pubkey]:
        """The addresses written in an unfinalized slot."""
        return list(self._before.get(slot, ()))

    def slots(self) -> list[int]:
        """Unfinalized slots that wrote something, oldest first."""
        return sorted(self._before)

    def finalize(self, slot: int) -> None:
        """Makes the state at the end of `slot` the finalized one."""
        self._before.pop(slot, None)

    def account(self, address: Pubkey) -> Account | None:
        """The finalized state of an account."""
        for slot in self.slots():
            if address in self._before[slot]:
                return self._before[slot][address]
        return self._read(address)

    def changed(self) -> dict[Pubkey, Account | None]:
        """The finalized state of every account that differs from it now, or may."""
        states: dict[Pubkey, Account | None] = {}
        for slot in reversed(self.slots()):
            states.update(self._before[slot])
        return states
