"""Prioritization fees paid in recent slots."""

from collections import OrderedDict
from collections.abc import Iterable

from solders.pubkey import Pubkey

from localnet.compute_limits import compute_limits
from localnet.records import TransactionRecord

RETAINED_SLOTS = 150


class PrioritizationFees:
    """The smallest fee of each recent slot, overall and by written account, in micro-lamports a unit."""

    def __init__(self) -> None:
        self._slots: OrderedDict[int, list[tuple[int, frozenset[Pubkey]]]] = OrderedDict()

    def add(self, record: TransactionRecord, written: Iterable[Pubkey]) -> None:
        """Takes a landed transaction into account."""
        fee = compute_limits(record.transaction).unit_fee
        self._slots.setdefault(record.slot, []).append((fee, frozenset(written)))
        while len(self._slots) > RETAINED_SLOTS:
            self._slots.popitem(last=False)

    def fee(self, slot: int, accounts: Iterable[Pubkey]) -> int:
        """The least that landed in a slot, or in it while writing one of the accounts; 0 when nothing did."""
        paid = self._slots.get(slot, [])
        if not paid:
            return 0
        fees = [min(fee for fee, _ in paid)]
        for account in accounts:
            paid_by = [fee for fee, written in paid if account in written]
            fees.extend([min(paid_by)] if paid_by else [])
        return max(fees)
