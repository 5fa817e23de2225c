//! All arithmetic on money: 128 bits inside, the rounding direction in the name.

use crate::constants::{BPS, PICO_PER_MICRO, SECONDS_PER_HOUR};
use crate::errors::MarketError;
use anchor_lang::prelude::*;

/// `value × numerator ÷ denominator`, rounded down.
pub fn mul_div_floor(value: u64, numerator: u64, denominator: u64) -> Result<u64> {
    match small_product(value, numerator) {
        Some(product) => product.checked_div(denominator).ok_or(MarketError::MathOverflow.into()),
        None => wide_floor(value, numerator, denominator),
    }
}

/// `value × numerator ÷ denominator`, rounded up.
pub fn mul_div_ceil(value: u64, numerator: u64, denominator: u64) -> Result<u64> {
    match small_product(value, numerator) {
        Some(product) => quotient_ceil(product, denominator),
        None => wide_ceil(value, numerator, denominator),
    }
}

/// The product, if it is at most 2^63 or of factors of 32 bits, as nearly all are. This target has no multiplication that tells: `checked_mul` is a
/// call of 50 compute units, and a division costs one. With `u64::MAX` instead the compiler would make the call of it.
#[inline(always)]
fn small_product(a: u64, b: u64) -> Option<u64> {
    const MOST: u64 = 1 << 63;
    if (a | b) >> 32 == 0 {
        return Some(a.wrapping_mul(b));
    }
    match MOST.checked_div(b) {
        Some(most) if a > most => None,
        _ => Some(a.wrapping_mul(b)),
    }
}

/// The product, or the most that fits 64 bits.
pub fn saturating_product(a: u64, b: u64) -> u64 {
    small_product(a, b).unwrap_or_else(|| a.saturating_mul(b))
}

fn quotient_ceil(dividend: u64, divisor: u64) -> Result<u64> {
    let floor = dividend.checked_div(divisor).ok_or(MarketError::MathOverflow)?;
    let exact = floor.wrapping_mul(divisor) == dividend;
    floor.checked_add(u64::from(!exact)).ok_or(MarketError::MathOverflow.into())
}

#[cold]
#[inline(never)]
fn wide_floor(value: u64, numerator: u64, denominator: u64) -> Result<u64> {
    div_floor(u128::from(value).wrapping_mul(numerator.into()), denominator.into())
}

#[cold]
#[inline(never)]
fn wide_ceil(value: u64, numerator: u64, denominator: u64) -> Result<u64> {
    div_ceil(u128::from(value).wrapping_mul(numerator.into()), denominator.into())
}

/// `bps` of `value`, rounded down.
pub fn share_floor(value: u64, bps: u16) -> Result<u64> {
    mul_div_floor(value, bps.into(), BPS)
}

/// `bps` of `value`, rounded up.
pub fn share_ceil(value: u64, bps: u16) -> Result<u64> {
    mul_div_ceil(value, bps.into(), BPS)
}

/// The mean of values, each with its weight, rounded down.
pub fn weighted_mean_floor(values: &[(u64, u64)]) -> Result<u64> {
    let (mut sum, mut weights) = (0u128, 0u128);
    for (value, weight) in values {
        let weighted = u128::from(*value).wrapping_mul((*weight).into());
        sum = sum.checked_add(weighted).ok_or(MarketError::MathOverflow)?;
        weights = weights.checked_add((*weight).into()).ok_or(MarketError::MathOverflow)?;
    }
    div_floor(sum, weights)
}

/// Accrual of `rate` per hour in `seconds`, rounded down.
pub fn accrued_floor(rate: u64, seconds: u32) -> Result<u64> {
    mul_div_floor(rate, seconds.into(), SECONDS_PER_HOUR)
}

/// Accrual of `rate` per hour in `seconds`, rounded up.
pub fn accrued_ceil(rate: u64, seconds: u32) -> Result<u64> {
    mul_div_ceil(rate, seconds.into(), SECONDS_PER_HOUR)
}

/// Base units that are worth `usd` micro-USD at `price` pico-USD per whole token, rounded up.
pub fn usd_to_base_units_ceil(usd: u64, price: u64, decimals: u8) -> Result<u64> {
    let unit = whole_token(decimals)?;
    match small_product(usd, PICO_PER_MICRO).and_then(|pico| small_product(pico, unit)) {
        Some(numerator) => quotient_ceil(numerator, price),
        None => wide_usd_to_base_units_ceil(usd, price, unit),
    }
}

#[cold]
#[inline(never)]
fn wide_usd_to_base_units_ceil(usd: u64, price: u64, unit: u64) -> Result<u64> {
    let pico = u128::from(usd).wrapping_mul(PICO_PER_MICRO.into());
    let numerator = pico.checked_mul(unit.into()).ok_or(MarketError::MathOverflow)?;
    div_ceil(numerator, price.into())
}

/// Base units in one whole token.
pub fn whole_token(decimals: u8) -> Result<u64> {
    POWERS_OF_TEN.get(usize::from(decimals)).copied().ok_or(MarketError::MathOverflow.into())
}

/// All that fit 64 bits.
const POWERS_OF_TEN: [u64; 20] = {
    let mut powers = [1u64; 20];
    let mut i = 1;
    while i < powers.len() {
        powers[i] = powers[i - 1] * 10;
        i += 1;
    }
    powers
};

/// A division of operands that fit 64 bits, as nearly all do, costs a small part of one of 128 bits.
fn div_floor(dividend: u128, divisor: u128) -> Result<u64> {
    let quotient = match (u64::try_from(dividend), u64::try_from(divisor)) {
        (Ok(dividend), Ok(divisor)) => return dividend.checked_div(divisor).ok_or(MarketError::MathOverflow.into()),
        _ => dividend.checked_div(divisor).ok_or(MarketError::MathOverflow)?,
    };
    u64::try_from(quotient).map_err(|_| MarketError::MathOverflow.into())
}

fn div_ceil(dividend: u128, divisor: u128) -> Result<u64> {
    let floor = div_floor(dividend, divisor)?;
    let exact = u128::from(floor).wrapping_mul(divisor) == dividend;
    floor.checked_add(u64::from(!exact)).ok_or(MarketError::MathOverflow.into())
}

pub fn add(a: u64, b: u64) -> Result<u64> {
    a.checked_add(b).ok_or_else(|| MarketError::MathOverflow.into())
}

pub fn sub(a: u64, b: u64) -> Result<u64> {
    a.checked_sub(b).ok_or_else(|| MarketError::MathOverflow.into())
}

/// The UTC day of a moment, by its number since 1970; they fit for 179 years.
pub fn day(at: i64) -> u16 {
    const SECONDS_PER_DAY: u64 = 86_400;
    // This target has no division of signed integers.
    let day = u64::try_from(at).unwrap_or(0).wrapping_div(SECONDS_PER_DAY);
    u16::try_from(day).unwrap_or(u16::MAX)
}

/// Whole seconds from `from` to `to`; zero when `to` is not later, capped at `u32::MAX`.
pub fn seconds_between(from: i64, to: i64) -> u32 {
    if to <= from {
        return 0;
    }
    u32::try_from(to.abs_diff(from)).unwrap_or(u32::MAX)
}

#[cfg(test)]
#[allow(non_snake_case, clippy::arithmetic_side_effects)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Around 32 bits, where products of two begin not to fit 64, and anything.
    fn any_factor() -> impl Strategy<Value = u64> {
        prop_oneof![0u64..1 << 33, u64::from(u32::MAX) - 1..u64::from(u32::MAX) + 3, any::<u64>()]
    }

    proptest! {
        #[test]
        fn product__any_factors__is_exact(a in any_factor(), b in any_factor()) {
            let exact = a.checked_mul(b);
            let is_small = (a | b) >> 32 == 0 || exact.is_some_and(|product| product <= 1 << 63);
            prop_assert_eq!(small_product(a, b), exact.filter(|_| is_small));
            prop_assert_eq!(saturating_product(a, b), a.saturating_mul(b));
        }

        #[test]
        fn mul_div__any_operands__floor_and_ceil_enclose_the_quotient(
            value in any_factor(), numerator in any_factor(), denominator in 1u64..
        ) {
            let exact = u128::from(value) * u128::from(numerator);
            if let Ok(floor) = mul_div_floor(value, numerator, denominator) {
                let low = u128::from(floor) * u128::from(denominator);
                prop_assert!(low <= exact && exact - low < u128::from(denominator));
            }
            if let (Ok(floor), Ok(ceil)) = (mul_div_floor(value, numerator, denominator), mul_div_ceil(value, numerator, denominator)) {
                prop_assert_eq!(ceil - floor, u64::from(exact % u128::from(denominator) != 0));
            }
        }

        #[test]
        fn accrual__split_anywhere__never_exceeds_the_whole(rate in 0u64..1 << 50, a in 0u32..1 << 24, b in 0u32..1 << 24) {
            let whole = accrued_floor(rate, a + b).unwrap();
            prop_assert!(accrued_floor(rate, a).unwrap() + accrued_floor(rate, b).unwrap() <= whole);
            prop_assert!(accrued_floor(rate, a).unwrap() <= whole);
        }

        #[test]
        fn usd_conversion__any_price__covers_the_amount(usd in 0u64..1 << 50, price in 1u64..1 << 60, decimals in 0u8..10) {
            if let Ok(units) = usd_to_base_units_ceil(usd, price, decimals) {
                let worth = u128::from(units) * u128::from(price);
                let owed = u128::from(usd) * 1_000_000 * 10u128.pow(decimals.into());
                prop_assert!(worth >= owed && (units == 0 || worth - owed < u128::from(price)));
            }
        }
    }

    #[test]
    fn product__around_63_bits__is_small_or_not() {
        for (a, b, is_small) in [
            (1 << 63, 1, true),
            (1, 1 << 63, true),
            ((1 << 63) + 1, 1, false),
            (u64::from(u32::MAX), u64::from(u32::MAX), true),
            (1 << 32, 1 << 31, true),
            (1 << 32, (1 << 31) + 1, false),
            (u64::MAX, 0, true),
            (0, u64::MAX, true),
            (u64::MAX, u64::MAX, false),
        ] {
            assert_eq!(small_product(a, b), is_small.then(|| a.wrapping_mul(b)), "{a} {b}");
        }
    }

    #[test]
    fn mul_div__zero_denominator__is_an_error() {
        assert!(mul_div_floor(1, 1, 0).is_err());
        assert!(mul_div_ceil(1, 1, 0).is_err());
    }

    #[test]
    fn mul_div__result_past_64_bits__is_an_error() {
        assert_eq!(mul_div_floor(u64::MAX, 1, 1), Ok(u64::MAX));
        assert!(mul_div_floor(u64::MAX, 2, 1).is_err());
        assert!(mul_div_ceil(u64::MAX, 3, 2).is_err());
    }

    #[test]
    fn day__edges__begin_at_midnight() {
        for (at, number) in [(0, 0), (86_399, 0), (86_400, 1), (1_800_000_000, 20_833), (i64::MAX, u16::MAX)] {
            assert_eq!(day(at), number);
        }
    }

    #[test]
    fn seconds_between__edges__clamp() {
        for (from, to, expected) in [(0, 0, 0), (5, 4, 0), (4, 5, 1), (0, i64::MAX, u32::MAX), (i64::MIN, 0, u32::MAX)]
        {
            assert_eq!(seconds_between(from, to), expected);
        }
    }
}
