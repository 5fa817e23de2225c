"""Named keypairs with fixed seeds, so that addresses and the costs of their bump searches never change."""

from __future__ import annotations

import hashlib
from functools import cache

from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.generated.program import PROGRAM_ID

_KNOWN: dict[Pubkey, Keypair] = {}


@cache
def keypair(name: str) -> Keypair:
    """The keypair of `name`."""
    return known(Keypair.from_seed(hashlib.sha256(f"gpu-market test {name}".encode()).digest()))


def known(pair: Keypair) -> Keypair:
    """The keypair, with which clusters sign from now on."""
    _KNOWN[pair.pubkey()] = pair
    return pair


def address(name: str) -> Pubkey:
    """The public key of `name`; the cluster can sign for it."""
    return keypair(name).pubkey()


def keypair_of(public_key: Pubkey) -> Keypair:
    """The keypair of an address made by `address` or made `known`; KeyError for any other."""
    return _KNOWN[public_key]


def can_sign(public_key: Pubkey) -> bool:
    """True where the cluster can sign for an address."""
    return public_key in _KNOWN


def is_wallet_address(public_key: Pubkey) -> bool:
    """True for an address that has or may have a key, or that a program of somebody else's signs for."""
    return public_key.is_on_curve() or can_sign(public_key)


def at_bump(seeds: list[bytes], bump: int) -> Pubkey | None:
    """The address of the seeds with this bump, if it is one."""
    digest = hashlib.sha256(b"".join(seeds) + bytes([bump]) + bytes(PROGRAM_ID) + b"ProgramDerivedAddress").digest()
    address = Pubkey.from_bytes(digest)
    return None if address.is_on_curve() else address


def signers() -> list[Pubkey]:
    """The addresses that clusters can sign for so far."""
    return list(_KNOWN)
