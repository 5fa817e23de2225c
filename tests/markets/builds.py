"""Another build of the program, and buffers with code."""

from __future__ import annotations

import struct

from solders.account import Account
from solders.pubkey import Pubkey

from anchor_client.solana.loader import LOADER_V3
from local_market.program import PROGRAM_PATH
from localnet.cluster import Cluster

TIP_BOUND = 100_000_000
"""The largest tip that the committed build takes; the second build takes one lamport less."""
_LAMPORTS = 10**10


def second_build() -> bytes:
    """The committed build with another bound, which its code holds as an immediate value."""
    first = PROGRAM_PATH.read_bytes()
    old, new = (struct.pack("<I", bound) for bound in (TIP_BOUND, TIP_BOUND - 1))
    assert old in first
    return first.replace(old, new)


def put_buffer(cluster: Cluster, address: Pubkey, code: bytes, authority: Pubkey) -> Account:
    """Writes a buffer as the loader's own tools would leave it."""
    account = Account(_LAMPORTS, struct.pack("<IB32s", 1, 1, bytes(authority)) + code, LOADER_V3)
    cluster.set_account(address, account)
    return account
