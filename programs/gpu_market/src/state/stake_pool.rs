use crate::*;
use anchor_lang::bytemuck::{Pod, Zeroable};
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

/// Rewards of stake in one mint. Accumulators are rewards per staked base unit, Q64, modulo 2^128, low word first.
#[derive(IdlType, Clone, Copy)]
#[repr(C)]
pub struct RewardStream {
    pub mint: Address,
    /// The pool's associated token account of the mint.
    pub token_account: Address,
    /// Credited up to the start of this epoch.
    pub acc: [u64; 2],
    /// Value of `acc` at the end of this epoch.
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

/// Rewards of `units` while an accumulator went from `from` to `to`, rounded down. It cannot be more than what the
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

    /// Returns to the queue what `units` that leave before the epoch ends would have earned in it; gives it.
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
        let late = now.abs_diff(self.epoch_ends_at);
        let more = late.checked_div(epoch_seconds.into()).ok_or(MarketError::MathOverflow)?;
        let shared = self.begin_epoch()?;
        if more > 0 {
            // The queue is empty, or nobody is there to share it: beyond this, more boundaries change nothing.
            self.begin_epoch()?;
        }
        let passed = more.checked_mul(epoch_seconds.into()).ok_or(MarketError::MathOverflow)?;
        self.epoch_started_at = self.epoch_ends_at.checked_add_unsigned(passed).ok_or(MarketError::MathOverflow)?;
        let ends_at = self.epoch_started_at.checked_add(epoch_seconds.into());
        self.epoch_ends_at = ends_at.ok_or(MarketError::MathOverflow)?;
        self.epoch = self.epoch.wrapping_add(more).wrapping_add(1);
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

    /// True if it pays rewards in as many mints as it can.
    pub fn is_full(&self) -> bool {
        usize::from(self.streams) >= REWARD_STREAMS
    }

    /// Base units that are active at `now`, whether the boundaries up to then have been passed or not: what may vote on a
    /// proposal of that moment.
    pub fn active_at(&self, now: i64) -> u64 {
        if now < self.epoch_ends_at {
            return self.active;
        }
        self.active.saturating_add(self.warming)
    }

    pub fn next_seq(&mut self) -> u64 {
        self.seq = self.seq.wrapping_add(1);
        self.seq
    }

    /// Seeds that the pool signs with.
    pub fn seeds(bump: &[u8; 1]) -> [Seed<'_>; 2] {
        [Seed::from(b"pool".as_slice()), Seed::from(bump)]
    }
}

#[cfg(test)]
#[allow(non_snake_case, clippy::arithmetic_side_effects)]
mod tests {
    use super::*;
    use crate::state::StakeAccount;
    use proptest::prelude::*;

    const EPOCH: u32 = 60;

    fn pool(active: u64, warming: u64, queued: u64) -> StakePool {
        let mut pool: StakePool = Zeroable::zeroed();
        pool.epoch_ends_at = EPOCH.into();
        (pool.active, pool.warming) = (active, warming);
        pool.add_stream(&Address::default(), &Address::default()).unwrap();
        pool.rewards[0].fund(queued).unwrap();
        pool
    }

    fn seen(pool: &StakePool) -> &[u8] {
        anchor_lang::bytemuck::bytes_of(pool)
    }

    #[derive(Clone, Debug)]
    enum Act {
        Stake(usize, u64),
        Unstake(usize, u64),
        Withdraw(usize),
        Claim(usize),
        Fund(u64),
        Wait(i64),
    }

    fn acts() -> impl Strategy<Value = Vec<Act>> {
        let amount = prop_oneof![1u64..20, 1u64..1 << 50];
        prop::collection::vec(
            prop_oneof![
                (0..3usize, amount.clone()).prop_map(|(who, amount)| Act::Stake(who, amount)),
                (0..3usize, amount.clone()).prop_map(|(who, amount)| Act::Unstake(who, amount)),
                (0..3usize).prop_map(Act::Withdraw),
                (0..3usize).prop_map(Act::Claim),
                amount.prop_map(Act::Fund),
                (1i64..200).prop_map(Act::Wait),
            ],
            1..60,
        )
    }

    proptest! {
        #[test]
        fn advance__many_epochs_at_once__is_the_same_as_one_by_one(
            active in prop_oneof![Just(0u64), 1..u64::MAX / 2],
            warming in prop_oneof![Just(0u64), 1..u64::MAX / 2],
            queued: u64,
            shared: [u64; 2],
            epochs in 1u64..200,
            rest in 0u32..EPOCH,
        ) {
            let mut once = pool(active, warming, queued);
            once.rewards[0].next_acc = shared;
            let mut each = once;
            let end = i64::try_from(epochs).unwrap() * i64::from(EPOCH);
            for at in 1..=end / i64::from(EPOCH) {
                each.advance(at * i64::from(EPOCH), EPOCH).unwrap();
            }
            each.advance(end + i64::from(rest), EPOCH).unwrap();
            once.advance(end + i64::from(rest), EPOCH).unwrap();
            prop_assert_eq!(seen(&once), seen(&each));
            prop_assert_eq!(once.epoch, epochs);
        }

        #[test]
        fn earned__any_stakers__is_what_the_queue_held_but_for_one_unit_each(
            stakes in prop::collection::vec(1u64..1 << 60, 1..8), queued: u64,
        ) {
            let mut pool = pool(stakes.iter().sum(), 0, queued);
            pool.advance(EPOCH.into(), EPOCH).unwrap();
            let [stream, ..] = pool.rewards;
            let credited: u128 = stakes.iter().map(|s| u128::from(earned_floor(*s, stream.acc, stream.next_acc))).sum();
            prop_assert!(credited <= queued.into());
            prop_assert!(u128::from(queued) - credited <= stakes.len() as u128);
        }

        #[test]
        fn any_acts__totals__agree_and_nobody_is_owed_what_is_not_there(acts in acts()) {
            let mut pool = pool(0, 0, 0);
            let mut stakers: [StakeAccount; 3] = [Zeroable::zeroed(); 3];
            let (mut now, mut settlements) = (0i64, 0u64);
            for act in acts {
                pool.advance(now, EPOCH).unwrap();
                match act {
                    Act::Stake(who, amount) => {
                        stakers[who].settle(&pool).unwrap();
                        stakers[who].stake(&mut pool, amount).unwrap();
                    }
                    Act::Unstake(who, amount) => {
                        stakers[who].settle(&pool).unwrap();
                        let before = stakers[who].active + stakers[who].warming;
                        let done = stakers[who].unstake(&mut pool, amount.min(before), now + 60, now);
                        prop_assert!(done.is_ok());
                    }
                    Act::Withdraw(who) => drop(stakers[who].withdraw(&mut pool, now)),
                    Act::Claim(who) => {
                        stakers[who].settle(&pool).unwrap();
                        drop(stakers[who].claim(&mut pool, 0));
                    }
                    Act::Fund(amount) => pool.rewards[0].fund(amount).unwrap(),
                    Act::Wait(seconds) => now += seconds,
                }
                settlements += 1;
                let sum = |of: fn(&StakeAccount) -> u64| stakers.iter().map(of).sum::<u64>();
                prop_assert_eq!(sum(|s| s.active) + sum(|s| s.warming), pool.active + pool.warming);
                prop_assert_eq!(sum(|s| s.cooling), pool.cooling);
                prop_assert_eq!(stakers.iter().map(|s| s.active_at(pool.epoch_started_at)).sum::<u64>(), pool.active);
            }
            for _ in 0..2 {
                pool.advance(pool.epoch_ends_at, EPOCH).unwrap();
            }
            let mut owed = pool.rewards[0].queued;
            for staker in &mut stakers {
                staker.settle(&pool).unwrap();
                owed += staker.owed[0];
            }
            prop_assert!(owed <= pool.rewards[0].held);
            prop_assert!(pool.rewards[0].held - owed <= 6 * (settlements + 2), "dust {}", pool.rewards[0].held - owed);
        }
    }

    #[test]
    fn active_at__around_the_boundary__is_what_passing_it_gives() {
        for now in [59, 60, 61, 600] {
            let pool = pool(5, 7, 0);
            let mut passed = pool;
            passed.advance(now, EPOCH).unwrap();
            assert_eq!(pool.active_at(now), passed.active, "{now}");
        }
    }

    #[test]
    fn advance__around_the_boundary__passes_it_at_its_second() {
        for (now, epoch, ends) in [(59, 0, 60), (60, 1, 120), (119, 1, 120), (120, 2, 180), (181, 3, 240)] {
            let mut pool = pool(1, 0, 0);
            pool.advance(now, EPOCH).unwrap();
            assert_eq!((pool.epoch, pool.epoch_ends_at), (epoch, ends), "{now}");
        }
    }

    #[test]
    fn fund__before_a_boundary__pays_at_the_end_of_the_next_epoch() {
        let mut pool = pool(10, 0, 100);
        pool.advance(60, EPOCH).unwrap();
        assert_eq!((earned_floor(10, [0, 0], pool.rewards[0].acc), pool.rewards[0].queued), (0, 0));
        pool.advance(120, EPOCH).unwrap();
        assert_eq!(earned_floor(10, [0, 0], pool.rewards[0].acc), 100);
    }

    #[test]
    fn advance__nobody_staked__rewards_wait() {
        let mut pool = pool(0, 0, 100);
        pool.advance(6_000, EPOCH).unwrap();
        assert_eq!((pool.rewards[0].queued, pool.rewards[0].next_acc), (100, [0, 0]));
    }

    #[test]
    fn earned__accumulator_wrapped__counts_the_difference() {
        let (from, to) = (to_words(u128::MAX), to_words(1u128 << 64));
        assert_eq!(earned_floor(7, from, to), 7);
        assert_eq!(earned_floor(u64::MAX, [0, 0], [0, u64::MAX]), u64::MAX);
    }

    #[test]
    fn add_stream__beyond_the_last__is_refused() {
        let mut pool: StakePool = Zeroable::zeroed();
        for n in 0..4u8 {
            assert_eq!(pool.add_stream(&Address::new_from_array([n; 32]), &Address::default()), Ok(n));
        }
        let again = pool.add_stream(&Address::new_from_array([0; 32]), &Address::default());
        assert_eq!(again, Err(MarketError::RewardMintExists.into()));
        let fifth = pool.add_stream(&Address::new_from_array([9; 32]), &Address::default());
        assert_eq!(fifth, Err(MarketError::TooManyRewardMints.into()));
    }
}
