"""An account that was closed stays closed: fed with lamports again in the same transaction, it holds nothing.

Invariants SYS-1, RNT-8.
"""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey
from solders.system_program import TransferParams, transfer

from anchor_client.generated.program import PROGRAM_ID
from tests.sweeps import sampled

from ..harness.actors import STRANGER
from ..harness.scenarios import SCENARIOS
from .cases import CLOSING, closed_by, works


def fed(address: Pubkey) -> object:
    return transfer(TransferParams(from_pubkey=STRANGER, to_pubkey=address, lamports=10**9))


@pytest.mark.parametrize("name", sampled(CLOSING, every=4))
def test_closing__twice__is_refused(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    world.act(instruction)
    assert not works(world, instruction)


@pytest.mark.parametrize("name", sampled(CLOSING, every=4))
def test_closing__fed_and_used_again_in_one_transaction__is_refused(name: str) -> None:
    for address in closed_by(name):
        world, instruction = SCENARIOS[name]()
        world.cluster.observers.clear()
        assert not works(world, instruction, fed(address), instruction)


@pytest.mark.parametrize("name", sampled(CLOSING, every=4))
def test_revival__fed_after_closing__is_an_empty_wallet(name: str) -> None:
    for address in closed_by(name):
        world, instruction = SCENARIOS[name]()
        world.cluster.observers.clear()
        world.act(instruction, fed(address))
        left = world.cluster.account(address)
        assert left is not None
        assert (left.owner, bytes(left.data)) == (Pubkey.default(), b"")
        assert left.owner != PROGRAM_ID
        assert not works(world, instruction)
