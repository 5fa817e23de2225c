use crate::constants::{HOLDING_TOKENS, MAX_HOLDING_DISCOUNT_BPS};
use crate::errors::MarketError;
use crate::math;
use anchor_lang::address_eq;
use anchor_lang::prelude::*;

/// Market tokens that a wallet has staked, at seeds `"stake", owner`.
///
/// What was staked in an epoch warms up until the epoch ends; then it counts without anyone touching the account.
#[account]
pub struct StakeAccount {
    pub version: u8,
    pub bump: u8,
    pub reserved_flags: [u8; 6],
    pub owner: Address,
    pub seq: u64,
    pub active: u64,
    pub warming: u64,
    pub cooling: u64,
    /// From when `warming` counts as active.
    pub warm_at: i64,
    /// From when `cooling` may be withdrawn.
    pub cool_at: i64,
    /// Until when votes keep the stake in place.
    pub voting_until: i64,
    pub reserved: [u8; 256],
}

const _: () = assert!(size_of::<StakeAccount>() == 352);

impl StakeAccount {
    /// Base units that count at `now`: for fees, quotas, priority and votes.
    pub fn active_at(&self, now: i64) -> u64 {
        if now >= self.warm_at {
            self.active.saturating_add(self.warming)
        } else {
            self.active
        }
    }

    /// Keeps the stake in place until a vote ends.
    pub fn hold_for_vote(&mut self, ends_at: i64) {
        self.voting_until = self.voting_until.max(ends_at);
    }

    pub fn next_seq(&mut self) -> u64 {
        self.seq = self.seq.wrapping_add(1);
        self.seq
    }
}

/// Active stake of `owner` at `now`; none without an account.
pub fn active_stake(account: &Option<Account<StakeAccount>>, owner: &Address, now: i64) -> Result<u64> {
    let Some(account) = account else { return Ok(0) };
    require!(address_eq(&account.owner, owner), MarketError::WrongStakeOwner);
    Ok(account.active_at(now))
}

/// The part of a fee that Proof of Holding takes off, in basis points, rounded down: linear in the stake up to half at
/// two million tokens of `unit` base units.
pub fn holding_discount_bps_floor(stake: u64, unit: u64) -> Result<u64> {
    let whole = HOLDING_TOKENS.saturating_mul(unit);
    math::mul_div_floor(stake.min(whole), MAX_HOLDING_DISCOUNT_BPS, whole)
}

#[cfg(test)]
#[allow(non_snake_case, clippy::arithmetic_side_effects)]
mod tests {
    use super::*;

    #[test]
    fn holding_discount__table__is_linear_and_capped() {
        const UNIT: u64 = 1_000_000;
        for (tokens, bps) in [
            (0, 0),
            (1, 0),
            (399, 0),
            (400, 1),
            (200_000, 500),
            (500_000, 1_250),
            (1_000_000, 2_500),
            (1_500_000, 3_750),
            (1_999_999, 4_999),
            (2_000_000, 5_000),
            (2_000_001, 5_000),
            (10_000_000, 5_000),
        ] {
            assert_eq!(holding_discount_bps_floor(tokens * UNIT, UNIT), Ok(bps), "{tokens}");
        }
    }

    #[test]
    fn active_at__around_the_boundary__counts_warm_stake_from_it() {
        let mut account: StakeAccount = anchor_lang::bytemuck::Zeroable::zeroed();
        (account.active, account.warming, account.warm_at) = (5, 7, 100);
        assert_eq!([99, 100, 101].map(|now| account.active_at(now)), [5, 12, 12]);
    }
}
