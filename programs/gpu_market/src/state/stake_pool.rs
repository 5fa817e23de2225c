use crate::constants::REWARD_STREAMS;
use crate::errors::MarketError;
use crate::math;
use anchor_lang::address_eq;
use anchor_lang::bytemuck::{Pod, Zeroable};
use anchor_lang::prelude::*;
use pinocchio::cpi::Seed;

/// All stake and the rewards it earns, at seeds `"pool"`.
///
/// Rewards that arrive in one epoch are shared over the next, by those who are active through all of it. So what an
/// epoch pays is known while it lasts, and catching up with any number of missed epochs takes two steps.
#[account]
pub struct StakePool {
    pub version: u8,
    pub bump: u8,
    /// Reward streams in use.
    pub streams: u8,
    pub reserved_flags: [u8; 5],
    /// The market token.
    pub mint: Address,
    /// The pool's associated token account of the market token: all stake, and the rewards paid in it.
    pub token_account: Address,
    pub seq: u64,
    pub epoch: u64,
    pub epoch_started_at: i64,
    pub epoch_ends_at: i64,
    /// Base units that earn in this epoch.
    pub active: u64,
    /// Base units that are active from the next epoch.
    pub warming: u64,
    /// Base units on their way out.
    pub cooling: u64,
    pub rewards: [RewardStream; REWARD_STREAMS],
    pub reserved: [u8; 64],
}

const _: () = assert!(size_of::<StakePool>() == 704);

/// What stake earns in one mint. Accumulators are rewards per staked base unit, Q64, modulo 2^128, low word first.
#[derive(IdlType, Clone, Copy)]
#[repr(C)]
pub struct RewardStream {
    pub mint: Address,
    /// The pool's associated token account of the mint.
    pub token_account: Address,
    /// Credited up to the start of this epoch.
    pub acc: [u64; 2],
    /// What `acc` will be at the end of this epoch.
    pub next_acc: [u64; 2],
    /// Base units that wait for the next epoch to be shared.
    pub queued: u64,
    /// Base units that have come in and have not been claimed.
    pub held: u64,
    /// Lifetime totals, modulo 2^64.
    pub funded: u64,
    pub claimed: u64,
}

const _: () = assert!(size_of::<RewardStream>() == 128);

// SAFETY: repr(C) of integers and byte arrays only, and their sizes add up to the whole: no padding, any bytes valid.
unsafe impl Zeroable for RewardStream {}
// SAFETY: as above.
unsafe impl Pod for RewardStream {}

/// A Q64 accumulator as it is stored.
pub fn to_words(value: u128) -> [u64; 2] {
    let (low, high) = (value & u128::from(u64::MAX), value >> 64);
    [low, high].map(|word| u64::try_from(word).unwrap_or(u64::MAX))
}

/// The value of a stored Q64 accumulator.
pub fn from_words([low, high]: [u64; 2]) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

/// What `units` earned while an accumulator went from `from` to `to`, rounded down. It cannot be more than what the
/// stream has shared; a value past 64 bits is capped, so that it keeps nobody's stake from leaving.
pub fn earned_floor(units: u64, from: [u64; 2], to: [u64; 2]) -> u64 {
    if from == to || units == 0 {
        return 0;
    }
    let [low, high] = to_words(from_words(to).wrapping_sub(from_words(from)));
    let fraction = u128::from(low).wrapping_mul(units.into()) >> 64;
    let whole = u128::from(high).wrapping_mul(units.into());
    u64::try_from(whole.wrapping_add(fraction)).unwrap_or(u64::MAX)
}

impl RewardStream {
    /// Rewards come in and wait for the next epoch.
    pub fn fund(&mut self, amount: u64) -> Result<()> {
        self.queued = math::add(self.queued, amount)?;
        self.held = math::add(self.held, amount)?;
        self.funded = self.funded.wrapping_add(amount);
        self.invariant()
    }

    /// A staker takes what it is owed.
    pub fn claim(&mut self, amount: u64) -> Result<()> {
        self.held = math::sub(self.held, amount)?;
        self.claimed = self.claimed.wrapping_add(amount);
        self.invariant()
    }

    /// What `units` that leave before the epoch ends would have earned in it goes back to the queue; gives it.
    pub fn forfeit(&mut self, units: u64) -> Result<u64> {
        let amount = earned_floor(units, self.acc, self.next_acc);
        self.queued = math::add(self.queued, amount)?;
        self.invariant()?;
        Ok(amount)
    }

    /// One epoch ends and another begins, in which `active` base units share what is queued; gives that.
    ///
    /// All of the queue goes: with `d = floor(q × 2^64 / a)`, `d × a` is above `(q - 1) × 2^64`, so what the stakers
    /// are credited with, rounded up once, is `q`.
    fn begin_epoch(&mut self, active: u64) -> u64 {
        self.acc = self.next_acc;
        if self.queued == 0 {
            return 0;
        }
        let Some(share) = (u128::from(self.queued) << 64).checked_div(active.into()) else { return 0 };
        self.next_acc = to_words(from_words(self.acc).wrapping_add(share));
        core::mem::take(&mut self.queued)
    }

    /// Nobody is promised tokens that are not there, and what came in is held or was claimed.
    fn invariant(&self) -> Result<()> {
        let came = self.held.wrapping_add(self.claimed);
        require!(self.queued <= self.held && self.funded == came, MarketError::LedgerMismatch);
        Ok(())
    }
}

impl StakePool {
    /// Passes every epoch boundary up to `now`; the epochs that begin last `epoch_seconds`. Gives what each stream's
    /// queue shared, or none when no boundary has passed.
    pub fn advance(&mut self, now: i64, epoch_seconds: u32) -> Result<Option<[u64; REWARD_STREAMS]>> {
        if now < self.epoch_ends_at {
            return Ok(None);
        }
        let length = i64::from(epoch_seconds);
        let late = now.checked_sub(self.epoch_ends_at).ok_or(MarketError::MathOverflow)?;
        let more = late.checked_div(length).ok_or(MarketError::MathOverflow)?;
        let shared = self.begin_epoch()?;
        if more > 0 {
            // The queue is empty, or nobody is there to share it: beyond this, more boundaries change nothing.
            self.begin_epoch()?;
        }
        let begun = more.checked_mul(length).and_then(|passed| self.epoch_ends_at.checked_add(passed));
        self.epoch_started_at = begun.ok_or(MarketError::MathOverflow)?;
        self.epoch_ends_at = self.epoch_started_at.checked_add(length).ok_or(MarketError::MathOverflow)?;
        self.epoch = self.epoch.wrapping_add(more.unsigned_abs()).wrapping_add(1);
        Ok(Some(shared))
    }

    fn begin_epoch(&mut self) -> Result<[u64; REWARD_STREAMS]> {
        self.active = math::add(self.active, core::mem::take(&mut self.warming))?;
        let active = self.active;
        let mut shared = [0; REWARD_STREAMS];
        for (shared, stream) in shared.iter_mut().zip(&mut self.rewards) {
            *shared = stream.begin_epoch(active);
        }
        Ok(shared)
    }

    /// Opens a stream of `mint`, kept in `token_account`; gives its number.
    pub fn add_stream(&mut self, mint: &Address, token_account: &Address) -> Result<u8> {
        require!(self.stream_of(mint).is_err(), MarketError::RewardMintExists);
        let number = self.streams;
        let stream = self.rewards.get_mut(usize::from(number)).ok_or(MarketError::TooManyRewardMints)?;
        (stream.mint, stream.token_account) = (*mint, *token_account);
        self.streams = number.saturating_add(1);
        Ok(number)
    }

    pub fn stream(&self, number: u8) -> Result<&RewardStream> {
        require!(number < self.streams, MarketError::UnknownRewardStream);
        self.rewards.get(usize::from(number)).ok_or_else(|| MarketError::UnknownRewardStream.into())
    }

    pub fn stream_mut(&mut self, number: u8) -> Result<&mut RewardStream> {
        require!(number < self.streams, MarketError::UnknownRewardStream);
        self.rewards.get_mut(usize::from(number)).ok_or_else(|| MarketError::UnknownRewardStream.into())
    }

    /// Number of the stream of `mint`.
    pub fn stream_of(&self, mint: &Address) -> Result<u8> {
        (0..self.streams)
            .find(|number| self.stream(*number).is_ok_and(|stream| address_eq(&stream.mint, mint)))
            .ok_or_else(|| MarketError::UnknownRewardStream.into())
    }

    pub fn next_seq(&mut self) -> u64 {
        self.seq = self.seq.wrapping_add(1);
        self.seq
    }

    /// What the pool signs with.
    pub fn seeds(bump: &[u8; 1]) -> [Seed<'_>; 2] {
        [Seed::from(b"pool".as_slice()), Seed::from(bump)]
    }
}
