"""Blockhashes derived from the genesis hash, and which of them a transaction may still use."""

from hashlib import sha256

from solders.hash import Hash

MAX_PROCESSING_AGE = 150
RETAINED_SLOTS = 300


class Blockhashes:
    """The hash of every slot, computed on demand, and the window of those still known.

    A hash is valid while the block height is at most its slot plus 150, as on a validator.
    """

    def __init__(self, genesis: Hash, *, oldest_valid_slot: int = 0) -> None:
        self.genesis = genesis
        self.oldest_valid_slot = oldest_valid_slot
        self._slots: dict[Hash, int] = {}
        self._newest = -1

    def of(self, slot: int) -> Hash:
        """The hash of the block of `slot`."""
        return Hash(sha256(bytes(self.genesis) + slot.to_bytes(8, "little")).digest())

    def slot_of(self, blockhash: Hash, open_slot: int) -> int | None:
        """The slot a recent hash belongs to; None when it is unknown, too young or forgotten."""
        self._cover(open_slot - 1)
        return self._slots.get(blockhash)

    def is_valid(self, blockhash: Hash, open_slot: int) -> bool:
        """True where a transaction in `open_slot` may name this hash."""
        slot = self.slot_of(blockhash, open_slot)
        return slot is not None and slot >= self.oldest_valid_slot and open_slot <= slot + MAX_PROCESSING_AGE

    def expire_before(self, slot: int) -> None:
        """Invalidates the hashes of every slot before `slot`."""
        self.oldest_valid_slot = slot

    def _cover(self, newest: int) -> None:
        for slot in range(max(self._newest + 1, newest - RETAINED_SLOTS + 1, 0), newest + 1):
            self._slots[self.of(slot)] = slot
        self._newest = max(self._newest, newest)
        excess = len(self._slots) - RETAINED_SLOTS
        for forgotten in list(self._slots)[: max(0, excess)]:
            del self._slots[forgotten]
