"""Listings that share GPUs of one machine, such as the whole of it and its halves, or a disk on which nothing limits a
tenant: one at a time is rented.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from solders.pubkey import Pubkey

from host_agent.settings.machine import ALL_GPUS, Share


class Neighbour(Enum):
    """Use of a listing's GPUs by orders of other listings."""

    NONE = "none"
    UNWIPED = "unwiped"
    """The last order has ended, and its data is still being wiped."""
    PRESENT = "present"


class Use(NamedTuple):
    """Use of one listing as last read."""

    order: Pubkey | None
    """The rental that holds it or, without one, waits for it."""
    tenant: Pubkey | None
    """The rental whose data is on the machine."""
    is_accepted: bool
    ordered_at: int


class SharedMachine:
    """The listings of one machine by their GPUs, and which of those that overlap has them: the first order, until its
    data is wiped. With `one_tenant`, all of them overlap.
    """

    def __init__(self, shares: Sequence[Share], *, one_tenant: bool = False) -> None:
        self._gpus = {share.listing: share.gpus for share in shares}
        self._same_gpus = {
            one.listing: frozenset(
                other.listing for other in shares if other.listing != one.listing and _overlap(one.gpus, other.gpus)
            )
            for one in shares
        }
        self._others = self._same_gpus
        if one_tenant:
            self._others = {listing: frozenset(self._gpus.keys() - {listing}) for listing in self._gpus}
        self._has: dict[Pubkey, Pubkey] = {}
        """The order that has its GPUs, by listing."""
        self._uses: Mapping[Pubkey, Use] = {}

    @property
    def has_overlap(self) -> bool:
        """True if an order of one listing keeps another from being rented."""
        return any(self._others.values())

    @property
    def shares_gpus(self) -> bool:
        """True if some GPU belongs to more than one listing."""
        return any(self._same_gpus.values())

    def most(self, amounts: Mapping[Pubkey, int]) -> int:
        """Most of a property that orders can use at the same time, by what each listing has of it. Where overlapping
        listings have unequal parts for each GPU, an upper bound.
        """
        apart = sum(amount for listing, amount in amounts.items() if not self._same_gpus.get(listing))
        for_each: dict[str, Fraction] = {}
        named = {name for listing in amounts if self._same_gpus.get(listing) for name in self._gpus[listing]}
        named = named - {*ALL_GPUS} or named
        for listing, amount in amounts.items():
            if self._same_gpus.get(listing):
                mine: Collection[str] = self._gpus[listing]
                if tuple(mine) == ALL_GPUS:
                    mine = named
                for name in mine:
                    for_each[name] = max(for_each.get(name, Fraction()), Fraction(amount, len(mine)))
        return apart + ceil(sum(for_each.values(), Fraction()))

    def give(self, uses: Mapping[Pubkey, Use]) -> None:
        """Decides whose order has the GPUs. An order keeps them once it has them; of new ones, those that were accepted
        by an earlier run of the agent come first, then the oldest.
        """
        self._uses = uses
        has: dict[Pubkey, Pubkey] = {}
        for listing, use in uses.items():
            if use.tenant is not None or (use.order is not None and self._has.get(listing) == use.order):
                has[listing] = use.order or use.tenant or listing
        waiting = [(not use.is_accepted, use.ordered_at, bytes(each), each) for each, use in uses.items() if use.order]
        for *_, listing in sorted(waiting):
            order = uses[listing].order
            if order is not None and listing not in has and not self._others.get(listing, frozenset()) & has.keys():
                has[listing] = order
        self._has = has

    def neighbour(self, listing: Pubkey) -> Neighbour:
        """Use of its GPUs by others."""
        users = [other for other in self._others.get(listing, ()) if other in self._has]
        if not users:
            return Neighbour.NONE
        if all(self._uses[other].order is None for other in users):
            return Neighbour.UNWIPED
        return Neighbour.PRESENT

    def taken(self) -> frozenset[Pubkey]:
        """Listings of which others' orders have GPUs."""
        return frozenset(listing for listing in self._others if self.neighbour(listing) is not Neighbour.NONE)


def _overlap(one: Sequence[str], other: Sequence[str]) -> bool:
    if tuple(one) == ALL_GPUS or tuple(other) == ALL_GPUS:
        return bool(one) and bool(other)
    return not set(one).isdisjoint(other)
