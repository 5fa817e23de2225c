"""Prices from Pyth's pull oracle: twin of `programs/gpu_market/src/pyth.rs`.

An order in a mint that Pyth prices brings a price update, a `PriceUpdateV2` account of Pyth's Solana receiver; the
layout is of pyth-network/pyth-crosschain, target_chains/solana/pyth_solana_receiver_sdk.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from solders.account import Account
from solders.pubkey import Pubkey

from anchor_client.errors import refusal
from anchor_client.generated import errors as refusals
from anchor_client.generated.constants import BPS
from anchor_client.generated.errors import ProgramError
from anchor_client.rules.math import mul_div_floor

RECEIVER: Final = Pubkey.from_string("rec5EKMGg6MxZYaMdyBfgwp4d5rB9T1VQH5pJv5LtFJ")
"""Pyth's Solana receiver, which verifies updates and owns their accounts."""
PUSH_ORACLE: Final = Pubkey.from_string("pythWSnswVUd12oZpeFP8e9CVaEqJg25g1Vtc2biRsT")
"""Pyth's push oracle, whose addresses hold the updates that sponsors keep fresh."""
SPONSORED_SHARD: Final = 0
MAX_EXPONENT_POWER: Final = 19
"""The largest power of ten in 64 bits."""

_DISCRIMINATOR: Final = bytes([34, 241, 35, 99, 157, 126, 244, 205])
_VERIFICATION: Final = 40
_FULLY_VERIFIED: Final = 1
_MESSAGE: Final = struct.Struct("<32sqQiqqqQ")
_MESSAGE_AT: Final = 41
_PICO_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class PriceUpdate:
    """A fully verified update: `price` and `confidence` times 10^`exponent` dollars at `published_at`, unix seconds."""

    feed_id: bytes
    price: int
    confidence: int
    exponent: int
    published_at: int

    @classmethod
    def read(cls, account: Account | None, feed_id: Pubkey) -> PriceUpdate:
        """The update of a feed in an account. WrongPriceFeed (as a program refusal)."""
        if account is None:
            raise _refused(refusals.WrongPriceFeed, "there is no account at this address")
        data = bytes(account.data)
        if account.owner != RECEIVER or data[:8] != _DISCRIMINATOR:
            raise _refused(refusals.WrongPriceFeed, "the account is not Pyth's")
        if len(data) < _MESSAGE_AT + _MESSAGE.size or data[_VERIFICATION] != _FULLY_VERIFIED:
            raise _refused(refusals.WrongPriceFeed, "the update is not fully verified")
        feed, price, confidence, exponent, published_at, *_ = _MESSAGE.unpack_from(data, _MESSAGE_AT)
        if feed != bytes(feed_id):
            raise _refused(refusals.WrongPriceFeed, f"it is of feed {feed.hex()}")
        return cls(feed, price, confidence, exponent, published_at)

    def fresh_price(self, *, max_age: int, max_confidence_bps: int, now: int) -> int:
        """Pico-USD per whole token, rounded down.

        Raises what the program refuses: PriceMissing, PriceStale, PriceUncertain, MathOverflow.
        """
        if self.price <= 0:
            raise _refused(refusals.PriceMissing)
        age = now - self.published_at
        if age > max_age:
            raise _refused(refusals.PriceStale, f"it is {age} s old; the oldest taken is {max_age} s")
        if -age > max_age:
            raise _refused(refusals.PriceStale, f"it is from {-age} s in the future; the most taken is {max_age} s")
        if self.confidence > mul_div_floor(self.price, max_confidence_bps, BPS):
            width = self.confidence * BPS // self.price
            raise _refused(refusals.PriceUncertain, f"it is {width} bps wide; the widest taken is {max_confidence_bps}")
        pico = self._pico_usd_floor()
        if pico == 0:
            raise _refused(refusals.PriceMissing)
        return pico

    def _pico_usd_floor(self) -> int:
        shift = self.exponent + _PICO_DIGITS
        if abs(shift) > MAX_EXPONENT_POWER:
            if shift < 0:
                return 0
            raise _refused(refusals.MathOverflow)
        power: int = 10 ** abs(shift)
        return self.price // power if shift < 0 else mul_div_floor(self.price, power, 1)


def sponsored_feed(feed_id: Pubkey, shard: int = SPONSORED_SHARD) -> Pubkey:
    """Address at which the push oracle keeps the updates of a feed."""
    return Pubkey.find_program_address([shard.to_bytes(2, "little"), bytes(feed_id)], PUSH_ORACLE)[0]


def _refused(kind: type[ProgramError], context: str = "") -> ProgramError:
    return refusal(kind.code, context)
