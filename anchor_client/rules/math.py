"""All arithmetic on money: twin of `programs/gpu_market/src/math.rs`.

Integers only; MathOverflow (as a program refusal) where the program would refuse. Amounts are base units of a mint,
rates base units per hour, `usd` micro-USD, prices of tokens pico-USD per whole token.
"""

from __future__ import annotations

from typing import Final

from anchor_client.errors import refusal
from anchor_client.generated.constants import BPS, PICO_PER_MICRO, SECONDS_PER_HOUR
from anchor_client.generated.errors import MathOverflow

U64_MAX: Final = 2**64 - 1


def mul_div_floor(value: int, numerator: int, denominator: int) -> int:
    """`value * numerator / denominator`, rounded down."""
    if denominator == 0:
        raise refusal(MathOverflow.code)
    return u64(value * numerator // denominator)


def mul_div_ceil(value: int, numerator: int, denominator: int) -> int:
    """`value * numerator / denominator`, rounded up."""
    if denominator == 0:
        raise refusal(MathOverflow.code)
    return u64(-(-value * numerator // denominator))


def share_floor(value: int, bps: int) -> int:
    """`bps` of `value`, rounded down."""
    return mul_div_floor(value, bps, BPS)


def share_ceil(value: int, bps: int) -> int:
    """`bps` of `value`, rounded up."""
    return mul_div_ceil(value, bps, BPS)


def accrued_floor(rate: int, seconds: int) -> int:
    """Amount that `rate` per hour accrues in `seconds`, rounded down."""
    return mul_div_floor(rate, seconds, SECONDS_PER_HOUR)


def accrued_ceil(rate: int, seconds: int) -> int:
    """Amount that `rate` per hour accrues in `seconds`, rounded up."""
    return mul_div_ceil(rate, seconds, SECONDS_PER_HOUR)


def usd_to_base_units_ceil(usd: int, price: int, decimals: int) -> int:
    """Base units worth `usd` micro-USD at `price` pico-USD per whole token, rounded up."""
    return mul_div_ceil(usd * PICO_PER_MICRO, 10**decimals, price)


def base_units_to_usd_floor(amount: int, price: int, decimals: int) -> int:
    """Micro-USD that `amount` base units are worth at `price` pico-USD per whole token, rounded down."""
    return mul_div_floor(amount, price, PICO_PER_MICRO * 10**decimals)


def u64(value: int) -> int:
    """`value`, which fits 64 bits."""
    if not 0 <= value <= U64_MAX:
        raise refusal(MathOverflow.code)
    return value
