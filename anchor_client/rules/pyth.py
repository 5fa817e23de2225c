"""Prices from Pyth's pull oracle: twin of `programs/gpu_market/src/pyth.rs`.

An order in a mint that Pyth prices brings a price update: a `PriceUpdateV2` account of that one of Pyth's Solana
receivers that the mint's terms choose. Addresses and layout, which is the same for both, are those of the crate
pyth-solana-receiver-sdk 2.0.0.
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
from anchor_client.generated.types import OracleKind
from anchor_client.rules.math import mul_div_floor


@dataclass(frozen=True, slots=True)
class Deployment:
    """Programs of Pyth's: `receiver` verifies updates and owns their accounts; `push_oracle` has the addresses of those
    that sponsors keep fresh.
    """

    receiver: Pubkey
    push_oracle: Pubkey


DEPLOYMENTS: Final = {
    OracleKind.PYTH: Deployment(
        Pubkey.from_string("rec5EKMGg6MxZYaMdyBfgwp4d5rB9T1VQH5pJv5LtFJ"),
        Pubkey.from_string("pythWSnswVUd12oZpeFP8e9CVaEqJg25g1Vtc2biRsT"),
    ),
    OracleKind.PYTH_UPGRADED: Deployment(
        Pubkey.from_string("rec2HHDDnjLfj4kE7VyEtFA1HPGQLK33259532cRyHp"),
        Pubkey.from_string("pyt2F414BA6dPttK6RddPZUdHfapoBN24GL5wbrPCou"),
    ),
}
"""By the kind of oracle that reads them: what Pyth had first, and what it has since its upgrade of 2026."""
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
    def read(cls, account: Account | None, feed_id: Pubkey, receiver: Pubkey) -> PriceUpdate:
        """The update of a feed in an account of a receiver's. WrongPriceFeed (as a program refusal)."""
        if account is None:
            raise _refused(refusals.WrongPriceFeed, "there is no account at this address")
        data = bytes(account.data)
        if account.owner != receiver or data[:8] != _DISCRIMINATOR:
            raise _refused(refusals.WrongPriceFeed, f"the account is not a price update of Pyth's receiver {receiver}")
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
            raise _refused(refusals.PriceStale, f"it is {age} s old; the maximum is {max_age} s")
        if -age > max_age:
            raise _refused(refusals.PriceStale, f"it is from {-age} s in the future; the maximum is {max_age} s")
        if self.confidence > mul_div_floor(self.price, max_confidence_bps, BPS):
            width = self.confidence * BPS // self.price
            raise _refused(refusals.PriceUncertain, f"it is {width} bps wide; the maximum is {max_confidence_bps}")
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


def sponsored_feed(feed_id: Pubkey, push_oracle: Pubkey) -> Pubkey:
    """Address at which a push oracle keeps the updates of a feed."""
    return Pubkey.find_program_address([SPONSORED_SHARD.to_bytes(2, "little"), bytes(feed_id)], push_oracle)[0]


def _refused(kind: type[ProgramError], context: str = "") -> ProgramError:
    return refusal(kind.code, context)
