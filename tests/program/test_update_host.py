"""update_host: the host replaces its seal key."""

from __future__ import annotations

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.pdas import find_host

from .harness.actors import HOST, RIVAL
from .harness.cluster import START
from .harness.outcome import expect
from .harness.world import World

SEAL_KEY = bytes(range(32))


def update(authority: Pubkey = HOST, seal_key: bytes = SEAL_KEY) -> Instruction:
    return instructions.update_host(authority=authority, host=find_host(HOST)[0], seal_key=seal_key)


def test_update_host__host__replaces_the_key(world: World) -> None:
    before = world.host()
    event = world.act(update()).event(events.HostUpdated)
    assert event == events.HostUpdated(
        host=find_host(HOST)[0],
        old_seal_key=before.seal_key,
        new_seal_key=SEAL_KEY,
        at=START,
        seq=before.seq + 1,
    )
    assert world.host().seal_key == SEAL_KEY


def test_update_host__key_of_zeros__is_refused(world: World) -> None:
    with expect(errors.InvalidSealKey):
        world.act(update(seal_key=bytes(32)))


def test_update_host__another_host__is_refused(world: World) -> None:
    with expect(errors.WrongHost):
        world.act(update(RIVAL))
