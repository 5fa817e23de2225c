//! Prices from Pyth's pull oracle: `PriceUpdateV2` accounts of its Solana receiver programs, which lay them out alike.

use crate::constants::{BPS, PICO_PER_MICRO, USD};
use crate::errors::MarketError;
use crate::math;
use anchor_lang::prelude::*;

/// Pyth's first Solana receiver, which verifies updates and owns their accounts.
pub const PYTH_RECEIVER: Address = Address::from_str_const("rec5EKMGg6MxZYaMdyBfgwp4d5rB9T1VQH5pJv5LtFJ");
/// The one that Pyth has since its upgrade of 2026.
pub const UPGRADED_PYTH_RECEIVER: Address = Address::from_str_const("rec2HHDDnjLfj4kE7VyEtFA1HPGQLK33259532cRyHp");

const DISCRIMINATOR: [u8; 8] = [34, 241, 35, 99, 157, 126, 244, 205];
/// After the discriminator and the write authority: the verification level, one byte when full.
const VERIFICATION: usize = 40;
const FULLY_VERIFIED: u8 = 1;
const MESSAGE: usize = 41;
const MESSAGE_BYTES: usize = 84;
const PICO_DIGITS: i32 = 12;

/// Price of an update, in the feed's own units: `price × 10^exponent` dollars.
struct PriceMessage {
    price: i64,
    confidence: u64,
    exponent: i32,
    published_at: i64,
}

/// Pico-USD per whole token from a fully verified update of `feed_id` by `receiver`, rounded down; refused when it is older
/// than `max_age` seconds, from as far in the future, not positive, or its confidence is wider than `max_confidence_bps` of it.
pub fn fresh_price(
    view: &AccountView,
    receiver: &Address,
    feed_id: &Address,
    max_age: u32,
    max_confidence_bps: u16,
    now: i64,
) -> Result<u64> {
    let message = read(view, receiver, feed_id)?;
    let price = u64::try_from(message.price).map_err(|_| MarketError::PriceMissing)?;
    require!(price > 0, MarketError::PriceMissing);
    let is_fresh = message.published_at <= now.saturating_add(max_age.into())
        && math::seconds_between(message.published_at, now) <= max_age;
    require!(is_fresh, MarketError::PriceStale);
    let widest = math::mul_div_floor(price, max_confidence_bps.into(), BPS)?;
    require!(message.confidence <= widest, MarketError::PriceUncertain);
    let pico = pico_usd_floor(price, message.exponent)?;
    require!(pico > 0, MarketError::PriceMissing);
    Ok(pico)
}

fn pico_usd_floor(price: u64, exponent: i32) -> Result<u64> {
    const _: () = assert!(PICO_PER_MICRO * USD == 1_000_000_000_000);
    let shift = exponent.checked_add(PICO_DIGITS).ok_or(MarketError::MathOverflow)?;
    let power = 10u64.checked_pow(shift.unsigned_abs());
    if shift >= 0 {
        math::mul_div_floor(price, power.ok_or(MarketError::MathOverflow)?, 1)
    } else {
        Ok(power.and_then(|power| price.checked_div(power)).unwrap_or(0))
    }
}

fn read(view: &AccountView, receiver: &Address, feed_id: &Address) -> Result<PriceMessage> {
    require!(view.owned_by(receiver), MarketError::WrongPriceFeed);
    let data = view.try_borrow()?;
    let is_verified =
        data.get(..8) == Some(DISCRIMINATOR.as_slice()) && data.get(VERIFICATION) == Some(&FULLY_VERIFIED);
    require!(is_verified, MarketError::WrongPriceFeed);
    let message = data.get(MESSAGE..MESSAGE.saturating_add(MESSAGE_BYTES)).ok_or(MarketError::WrongPriceFeed)?;
    require!(message.get(..32) == Some(feed_id.as_ref()), MarketError::WrongPriceFeed);
    Ok(PriceMessage {
        price: i64::from_le_bytes(field(message, 32)?),
        confidence: u64::from_le_bytes(field(message, 40)?),
        exponent: i32::from_le_bytes(field(message, 48)?),
        published_at: i64::from_le_bytes(field(message, 52)?),
    })
}

fn field<const N: usize>(message: &[u8], at: usize) -> Result<[u8; N]> {
    let bytes = message.get(at..at.saturating_add(N)).and_then(|bytes| bytes.try_into().ok());
    bytes.ok_or_else(|| MarketError::WrongPriceFeed.into())
}

#[cfg(test)]
#[allow(non_snake_case)]
mod tests {
    use super::*;

    #[test]
    fn pico_usd__exponents__scale_to_pico_and_round_down() {
        for (price, exponent, pico) in [
            (150, 0, 150_000_000_000_000),
            (15_012_345_678, -8, 150_123_456_780_000),
            (1_999, -15, 1),
            (999, -15, 0),
            (7, -60, 0),
        ] {
            assert_eq!(pico_usd_floor(price, exponent), Ok(pico));
        }
        assert!(pico_usd_floor(u64::MAX, 0).is_err());
        assert!(pico_usd_floor(1, 20).is_err());
        assert!(pico_usd_floor(1, i32::MAX).is_err());
    }
}
