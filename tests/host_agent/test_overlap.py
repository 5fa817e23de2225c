"""Listings that share GPUs of one machine."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from host_agent.listings.overlap import Neighbour, SharedMachine, Use
from host_agent.settings.machine import Share

WHOLE, LEFT, RIGHT, NONE = (Pubkey.from_bytes(bytes([number] * 32)) for number in (4, 3, 2, 1))
FREE = Use(None, None, False, 0)


def eight() -> SharedMachine:
    shares = [Share(WHOLE, tuple("01234567")), Share(LEFT, tuple("0123")), Share(RIGHT, tuple("4567")), Share(NONE, ())]
    return SharedMachine(shares)


def ordered(at: int, *, accepted: bool = False) -> Use:
    return Use(Pubkey.new_unique(), None, accepted, at)


def neighbours(machine: SharedMachine) -> list[Neighbour]:
    return [machine.neighbour(each) for each in (WHOLE, LEFT, RIGHT)]


def test_give__one_is_rented__others_with_its_gpus_are_taken() -> None:
    machine = eight()
    machine.give({LEFT: ordered(1)})
    assert neighbours(machine) == [Neighbour.PRESENT, Neighbour.NONE, Neighbour.NONE]
    machine.give({LEFT: FREE, WHOLE: ordered(2)})
    assert neighbours(machine) == [Neighbour.NONE, Neighbour.PRESENT, Neighbour.PRESENT]
    assert machine.taken() == {LEFT, RIGHT}


def test_give__nothing_limits_tenants_on_the_disk__one_has_the_machine() -> None:
    shares = [Share(LEFT, ("0",)), Share(RIGHT, ("1",)), Share(NONE, ())]
    machine = SharedMachine(shares, one_tenant=True)
    assert machine.has_overlap and not machine.shares_gpus
    assert machine.most({LEFT: 4, RIGHT: 4, NONE: 1}) == 9
    machine.give({LEFT: ordered(2), RIGHT: ordered(1), NONE: FREE})
    assert machine.taken() == {LEFT, NONE}
    assert not SharedMachine(shares[:1], one_tenant=True).has_overlap


def test_give__order_has_ended_and_is_not_wiped__others_wait() -> None:
    machine = eight()
    machine.give({LEFT: Use(None, Pubkey.new_unique(), False, 0), WHOLE: ordered(5)})
    assert neighbours(machine) == [Neighbour.UNWIPED, Neighbour.NONE, Neighbour.NONE]


def test_give__orders_at_once__the_oldest_has_the_gpus_and_keeps_them() -> None:
    machine, late, early = eight(), ordered(9), ordered(3)
    machine.give({WHOLE: late})
    machine.give({WHOLE: late, LEFT: early})
    assert neighbours(machine)[:2] == [Neighbour.NONE, Neighbour.PRESENT], "it was given them before the other came"
    machine = eight()
    machine.give({WHOLE: late, LEFT: early})
    assert neighbours(machine)[:2] == [Neighbour.PRESENT, Neighbour.NONE]
    machine = eight()
    machine.give({WHOLE: late._replace(is_accepted=True), LEFT: early})
    assert neighbours(machine)[:2] == [Neighbour.NONE, Neighbour.PRESENT], "an earlier run of the agent accepted it"


def test_give__tenant_not_wiped_and_next_order_of_its_listing__has_the_gpus() -> None:
    machine, coming = eight(), ordered(7)
    machine.give({LEFT: coming._replace(tenant=Pubkey.new_unique()), WHOLE: ordered(2)})
    assert neighbours(machine)[:2] == [Neighbour.PRESENT, Neighbour.NONE]
    machine.give({LEFT: coming, WHOLE: ordered(2)})
    assert neighbours(machine)[:2] == [Neighbour.PRESENT, Neighbour.NONE]


@pytest.mark.parametrize(
    ("gpus", "amounts", "most"),
    [
        ([("0",), ("1",)], [3, 4], 7),
        ([("0", "1"), ("0",), ("1",)], [8, 4, 4], 8),
        ([("0", "1"), ("0",), ("1",)], [9, 4, 4], 9),
        ([("0", "1"), ("0",), ("1",)], [8, 5, 4], 9),
        ([("0", "1"), ("0",), ("2",)], [8, 4, 4], 12),
        ([("all",), ("0",)], [8, 4], 8),
        ([("all",), ("all",)], [8, 5], 8),
        ([(), ()], [8, 5], 13),
    ],
)
def test_most__of_listings__counts_shared_gpus_once(gpus: list[tuple[str, ...]], amounts: list[int], most: int) -> None:
    shares = [Share(Pubkey.new_unique(), each) for each in gpus]
    machine = SharedMachine(shares)
    assert machine.most({share.listing: amount for share, amount in zip(shares, amounts, strict=True)}) == most
    assert machine.has_overlap is (most < sum(amounts))
