"""A wallet whose owner makes a program's account of it, by the real loader."""

from __future__ import annotations

import struct
from pathlib import Path

from solders.account import Account
from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey
from solders.system_program import ID as SYSTEM_PROGRAM
from solders.system_program import AllocateParams, AssignParams, allocate, assign
from solders.sysvar import CLOCK, RENT

from .actors import STRANGER
from .cluster import LOADER_V3
from .keys import address
from .world import World

CODE = (Path(__file__).parents[1] / "caller/caller.so").read_bytes()
PROGRAM_SIZE = 36
BUFFER, DEPLOY = 1, 2
"""State of a buffer's account, and the loader's instruction."""


def make_program(world: World, wallet: Pubkey) -> None:
    """Its owner signs twice; a stranger deploys some program there. It can still sign, and stays executable."""
    buffer = address(f"buffer of {wallet}")
    data = struct.pack("<IB", BUFFER, 1) + bytes(STRANGER) + CODE
    world.cluster.set_account(buffer, Account(world.cluster.rent(len(data)), data, LOADER_V3))
    code, _ = Pubkey.find_program_address([bytes(wallet)], LOADER_V3)
    named = (
        (STRANGER, True, True),
        (code, False, True),
        (wallet, False, True),
        (buffer, False, True),
        *((each, False, False) for each in (RENT, CLOCK, SYSTEM_PROGRAM)),
        (STRANGER, True, False),
    )
    deploy = Instruction(
        LOADER_V3,
        struct.pack("<IQ", DEPLOY, len(CODE)),
        [AccountMeta(key, is_signer=signs, is_writable=writable) for key, signs, writable in named],
    )
    world.cluster.retire()
    world.act(
        allocate(AllocateParams(pubkey=wallet, space=PROGRAM_SIZE)),
        assign(AssignParams(pubkey=wallet, owner=LOADER_V3)),
        deploy,
    )
    account = world.cluster.account(wallet)
    assert account is not None and account.executable
