"""Makes every wallet of the harness an address of a program's, which calls the market for it through itself.

Import it before the rest of the harness, in a process of its own. `pytest -p tests.program.pda_wallets PATH` runs any
tests so (those that freeze compute units fail); `python -m tests.program.pda_wallets` prints for each instruction at
which stack height the market ran it.
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from pathlib import Path

from solders.compute_budget import ID as COMPUTE_BUDGET
from solders.instruction import AccountMeta, Instruction
from solders.litesvm import LiteSVM
from solders.pubkey import Pubkey

from anchor_client.generated.program import PROGRAM_ID
from anchor_client.solana.transactions.message import PACKET_BYTES

from .harness import keys

CALLER = keys.address("caller program")
CALLER_BINARY = Path(__file__).parent / "caller" / "caller.so"
CALLS_OF_ITSELF = 1
"""So the market runs at stack height 3."""
FEE_PAYER = keys.address("fee payer")
_RUNS = re.compile(rf"Program {PROGRAM_ID} invoke \[(\d+)\]")
_SIGNS, _IS_WRITABLE = 1, 2

_signing: dict[Pubkey, bytes] = {}
"""Bump and seed of each wallet."""


@cache
def wallet(name: str) -> Pubkey:
    """The address of the caller's that stands for a wallet; the one that pays for transactions has a key."""
    if name == "fee payer":
        return FEE_PAYER
    seed = hashlib.sha256(name.encode()).digest()
    address, bump = Pubkey.find_program_address([seed], CALLER)
    _signing[address] = bytes([bump]) + seed
    return address


keys.address = wallet
keys.can_sign = lambda public_key: public_key in _signing or public_key == FEE_PAYER
keys.signers = lambda: list(_signing)

from .harness import cluster, scenarios  # noqa: E402  all that they import must see these addresses

_new_svm, _compiled = cluster._new_svm, cluster.Cluster._compiled


def through_caller(instruction: Instruction) -> Instruction:
    """The instruction as the caller takes it, which signs for its own addresses; see caller/src/lib.rs."""
    if instruction.program_id == COMPUTE_BUDGET:
        return instruction
    signing = {meta.pubkey for meta in instruction.accounts if meta.is_signer}
    seeds = [_signing[key] for key in sorted(signing & _signing.keys(), key=bytes)]
    flags = bytes(_SIGNS * meta.is_signer | _IS_WRITABLE * meta.is_writable for meta in instruction.accounts)
    metas = [AccountMeta(key, is_signer=False, is_writable=False) for key in (CALLER, instruction.program_id)]
    metas += [
        AccountMeta(each.pubkey, each.is_signer and each.pubkey not in _signing, each.is_writable)
        for each in instruction.accounts
    ]
    header = bytes([CALLS_OF_ITSELF, len(seeds)]) + b"".join(seeds) + flags
    return Instruction(CALLER, header + bytes(instruction.data), metas)


def _svm_with_caller() -> LiteSVM:
    svm = _new_svm()
    svm.add_program_from_file(CALLER, CALLER_BINARY)
    return svm


cluster._new_svm = _svm_with_caller
cluster.Cluster._compiled = lambda self, acts: _compiled(self, [through_caller(each) for each in acts])


def heights() -> dict[str, int]:
    """Stack height at which the market ran each instruction, every wallet in it an address of the caller's."""
    found = {}
    for name, scenario in scenarios.SCENARIOS.items():
        world, instruction = scenario()
        assert all(meta.pubkey in _signing for meta in instruction.accounts if meta.is_signer), name
        outcome = world.act(instruction)
        assert outcome.size <= PACKET_BYTES, f"{name}: {outcome.size} bytes"
        found[name] = next(int(run[1]) for line in outcome.logs if (run := _RUNS.match(line)))
    return found


if __name__ == "__main__":
    print(json.dumps(heights()))
