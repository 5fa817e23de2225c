"""Price updates as Pyth's Solana receivers write them, put where none runs."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from typing import Final

from solders.account import Account
from solders.pubkey import Pubkey

from anchor_client.generated import instructions
from anchor_client.generated.pdas import find_payment_mint
from anchor_client.generated.types.oracle_kind import OracleKind

from .actors import AUTHORITY, WSOL
from .keys import address
from .terms import WSOL_TERMS
from .world import World

RECEIVER: Final = Pubkey.from_string("rec5EKMGg6MxZYaMdyBfgwp4d5rB9T1VQH5pJv5LtFJ")
UPGRADED_RECEIVER: Final = Pubkey.from_string("rec2HHDDnjLfj4kE7VyEtFA1HPGQLK33259532cRyHp")
DISCRIMINATOR: Final = bytes([34, 241, 35, 99, 157, 126, 244, 205])
SOL_USD: Final = Pubkey.from_string("H6ARHf6YXhGYeQfUzQNGk6rDNnLBQKrenN712K4AQJEG")
"""Stands for the id of the SOL/USD feed: any 32 bytes."""
FEED: Final = address("price update")
MAX_AGE: Final = 60
MAX_CONFIDENCE_BPS: Final = 100
FULL: Final = b"\1"
PYTH_TERMS: Final = replace(
    WSOL_TERMS,
    oracle_kind=OracleKind.PYTH,
    oracle=SOL_USD,
    max_age=MAX_AGE,
    max_confidence_bps=MAX_CONFIDENCE_BPS,
)


@dataclass(frozen=True, slots=True)
class PriceUpdate:
    """A PriceUpdateV2: `price ± confidence`, both times 10^exponent dollars, at `published_at`."""

    published_at: int
    price: int = 18_765_432_101
    confidence: int = 9_000_000
    exponent: int = -8
    feed_id: bytes = bytes(SOL_USD)
    verification: bytes = FULL
    discriminator: bytes = DISCRIMINATOR

    def encode(self) -> bytes:
        """134 bytes: as long as one that is partially verified, whatever the level."""
        message = self.feed_id + struct.pack(
            "<qQiqqqQ",
            self.price,
            self.confidence,
            self.exponent,
            self.published_at,
            self.published_at - 1,
            self.price,
            self.confidence,
        )
        posted_slot = struct.pack("<Q", 123)
        return (self.discriminator + bytes(32) + self.verification + message + posted_slot).ljust(134, b"\0")


def put_update(world: World, update: PriceUpdate, *, owner: Pubkey = RECEIVER, size: int = 134) -> Pubkey:
    """Writes the update where `open_rental` may read it."""
    account = Account(world.cluster.rent(size), update.encode()[:size], owner)
    world.cluster.set_account(FEED, account)
    return FEED


def price_by_pyth(world: World, kind: OracleKind = OracleKind.PYTH) -> None:
    """Makes wrapped SOL a mint that Pyth prices."""
    terms = replace(PYTH_TERMS, oracle_kind=kind)
    world.act(
        instructions.update_payment_mint(authority=AUTHORITY, payment_mint=find_payment_mint(WSOL)[0], terms=terms)
    )
