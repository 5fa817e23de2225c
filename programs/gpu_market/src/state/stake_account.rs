use crate::*;
use anchor_lang::bytemuck::{Pod, Zeroable};
use anchor_lang::find_program_address;

/// Market tokens that a wallet has staked, at seeds `"stake", owner`.
///
/// New stake warms up until its epoch ends; then it counts without anyone touching the account.
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
    /// Each stream's accumulator up to which `active` has been credited.
    pub checkpoints: [[u64; 2]; REWARD_STREAMS],
    /// Each stream's accumulator from which `warming` earns.
    pub warm_checkpoints: [[u64; 2]; REWARD_STREAMS],
    /// Credited and not claimed, in each stream's base units.
    pub owed: [u64; REWARD_STREAMS],
    /// The last warm-ups, oldest first.
    pub warm_ups: [WarmUp; WARM_UPS],
    /// The wallet's live proposal, or none.
    pub proposal: Address,
    /// Nonce of the wallet's next proposal. It begins at the slot in which the account is made and is at most that in which
    /// it is closed, so an account that is made again uses none twice.
    pub next_proposal: u64,
}

const _: () = assert!(size_of::<StakeAccount>() == 360);

/// Stake that became active, in base units, and when.
#[derive(IdlType, Clone, Copy, Default, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct WarmUp {
    pub amount: u64,
    pub at: i64,
}

// SAFETY: repr(C) of integers only, and their sizes add up to the whole: no padding, any bytes valid.
unsafe impl Zeroable for WarmUp {}
// SAFETY: as above.
unsafe impl Pod for WarmUp {}

/// Effects of one unstaking.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Leaving {
    pub from_warming: u64,
    pub from_active: u64,
    /// Rewards that the epoch would have paid on `from_active`, in each stream.
    pub forfeited: [u64; REWARD_STREAMS],
}

impl StakeAccount {
    /// Base units that count at `now`: for fees, quotas, priority and votes.
    pub fn active_at(&self, now: i64) -> u64 {
        if now >= self.warm_at {
            self.active.saturating_add(self.warming)
        } else {
            self.active
        }
    }

    /// Base units that count now and have counted since `opened_at`: for a proposal of that moment. What has left since is
    /// taken off the oldest stake, and of many warm-ups since then the first may take more with it than came with it.
    pub fn votes_since(&self, opened_at: i64) -> u64 {
        let later = self.warm_ups.iter().filter(|each| each.at > opened_at);
        later.fold(self.active_at(opened_at), |votes, each| votes.saturating_sub(each.amount))
    }

    /// Takes note of a proposal that the wallet has made, its only one, whose nonce must be the next.
    pub fn begin_proposal(&mut self, proposal: &Address, nonce: u64) -> Result<()> {
        require!(self.proposal == Address::default(), MarketError::ProposalLive);
        require!(self.next_proposal == nonce, MarketError::NonceMismatch);
        self.next_proposal = math::add(nonce, 1)?;
        self.proposal = *proposal;
        Ok(())
    }

    /// The wallet's proposal is over, and it may make another.
    pub fn end_proposal(&mut self, proposal: &Address) -> Result<()> {
        require!(address_eq(&self.proposal, proposal), MarketError::WrongProposal);
        self.proposal = Address::default();
        Ok(())
    }

    /// Keeps the stake in place until a vote ends.
    pub fn hold_for_vote(&mut self, ends_at: i64) {
        self.voting_until = self.voting_until.max(ends_at);
    }

    /// Credits what was earned in ended epochs, and lets warm stake become active. `pool` is up to date.
    pub fn settle(&mut self, pool: &StakePool) -> Result<()> {
        let is_warm = self.warm_at <= pool.epoch_started_at;
        let warm = if is_warm { core::mem::take(&mut self.warming) } else { 0 };
        for (i, stream) in pool.rewards.iter().enumerate().take(pool.streams.into()) {
            let earned = earned_floor(self.active, self.checkpoints[i], stream.acc);
            let earned_warm = earned_floor(warm, self.warm_checkpoints[i], stream.acc);
            self.owed[i] = self.owed[i].saturating_add(earned).saturating_add(earned_warm);
            self.checkpoints[i] = stream.acc;
        }
        self.active = math::add(self.active, warm)?;
        if warm > 0 {
            self.note_warm_up(WarmUp { amount: warm, at: self.warm_at });
        }
        Ok(())
    }

    /// The oldest one is added to the next, as if it had come as late: it may vote on less, and never on more. What has
    /// left is in the sum too, which stops at the most that can be staked.
    fn note_warm_up(&mut self, last: WarmUp) {
        let [oldest, next, third, fourth] = self.warm_ups;
        let merged = WarmUp { amount: oldest.amount.saturating_add(next.amount), at: next.at };
        self.warm_ups = [merged, third, fourth, last];
    }

    /// More stake begins to warm up; it earns nothing of this epoch. The account is settled.
    pub fn stake(&mut self, pool: &mut StakePool, amount: u64) -> Result<()> {
        self.warming = math::add(self.warming, amount)?;
        pool.warming = math::add(pool.warming, amount)?;
        self.warm_at = pool.epoch_ends_at;
        for (checkpoint, stream) in self.warm_checkpoints.iter_mut().zip(&pool.rewards) {
            *checkpoint = stream.next_acc;
        }
        Ok(())
    }

    /// Stake begins to cool down until `cool_at`, warming stake first; votes keep active stake in place. It counts for
    /// nothing from now on, and what this epoch would have paid on it goes back to the queues. The account is settled.
    pub fn unstake(&mut self, pool: &mut StakePool, amount: u64, cool_at: i64, now: i64) -> Result<Leaving> {
        let from_warming = amount.min(self.warming);
        let from_active = math::sub(amount, from_warming)?;
        require!(from_active <= self.active, MarketError::InsufficientStake);
        require!(from_active == 0 || now >= self.voting_until, MarketError::VoteLocked);
        self.warming = math::sub(self.warming, from_warming)?;
        self.active = math::sub(self.active, from_active)?;
        self.cooling = math::add(self.cooling, amount)?;
        self.cool_at = cool_at;
        pool.warming = math::sub(pool.warming, from_warming)?;
        pool.active = math::sub(pool.active, from_active)?;
        pool.cooling = math::add(pool.cooling, amount)?;
        let mut leaving = Leaving { from_warming, from_active, ..Leaving::default() };
        for (forfeited, stream) in leaving.forfeited.iter_mut().zip(&mut pool.rewards) {
            *forfeited = stream.forfeit(from_active)?;
        }
        Ok(leaving)
    }

    /// All that has cooled down leaves; gives it.
    pub fn withdraw(&mut self, pool: &mut StakePool, now: i64) -> Result<u64> {
        require!(self.cooling > 0, MarketError::NothingToWithdraw);
        require!(now >= self.cool_at, MarketError::StakeCooling);
        let amount = core::mem::take(&mut self.cooling);
        pool.cooling = math::sub(pool.cooling, amount)?;
        Ok(amount)
    }

    /// Takes all that is owed from a stream; gives it. The account is settled.
    pub fn claim(&mut self, pool: &mut StakePool, stream: u8) -> Result<u64> {
        let rewards = pool.stream_mut(stream)?;
        let amount = core::mem::take(&mut self.owed[usize::from(stream)]);
        require!(amount > 0, MarketError::NothingToClaim);
        rewards.claim(amount)?;
        Ok(amount)
    }

    /// Requires that nothing is staked, warming up, on its way out or owed, and that no vote and no proposal holds the
    /// account. One that is made in `slot` must not begin with a nonce that it has used.
    pub fn require_closable(&self, now: i64, slot: u64) -> Result<()> {
        require!(now >= self.voting_until, MarketError::VoteLocked);
        require!(self.proposal == Address::default(), MarketError::ProposalLive);
        let is_empty = self.active == 0 && self.warming == 0 && self.cooling == 0 && self.owed == [0; REWARD_STREAMS];
        require!(is_empty, MarketError::StakeNotEmpty);
        require!(self.next_proposal <= slot, MarketError::AccountTooNew);
        Ok(())
    }

    pub fn next_seq(&mut self) -> u64 {
        self.seq = self.seq.wrapping_add(1);
        self.seq
    }
}

const STAKE_SEED: &[u8] = b"stake";

/// The address of the stake account of `owner`, whether it exists or not.
pub fn stake_address(owner: &Address) -> Address {
    find_program_address(&[STAKE_SEED, owner.as_ref()], &crate::ID).0
}

/// Active stake at `now`, in base units, of the wallet whose stake account is at `address`: nothing where none exists.
pub fn active_stake(account: &UncheckedAccount, address: &Address, now: i64) -> Result<u64> {
    let view = account.account();
    require!(address_eq(view.address(), address), MarketError::WrongStakeOwner);
    if !view.owned_by(&crate::ID) {
        return Ok(0);
    }
    let stake = Account::<StakeAccount>::load(*view).map_err(|_| MarketError::WrongStakeOwner)?;
    Ok(stake.active_at(now))
}

/// The part of a fee that Proof of Holding takes off, in basis points, rounded down: linear in the stake up to half at
/// two million tokens of `unit` base units.
pub fn holding_discount_bps_floor(stake: u64, unit: u64) -> Result<u64> {
    if stake == 0 {
        return Ok(0);
    }
    let whole = math::saturating_product(HOLDING_TOKENS, unit);
    math::mul_div_floor(stake.min(whole), MAX_HOLDING_DISCOUNT_BPS, whole)
}

/// The one discount that takes no more off `seconds` than `bps` takes off one cool-down, rounded down: stake can leave in the
/// transaction of the order that it makes cheaper, and binds nobody for longer than that.
pub fn spread_discount_bps_floor(bps: u64, seconds: u32, market: &Market) -> Result<u64> {
    math::mul_div_floor(bps, seconds.min(market.epoch_seconds).into(), seconds.into())
}

impl Rental {
    /// Requires that a rental with a discount, `duration` seconds long by now, is no longer than one cool-down. Who wants more
    /// rents anew: the discount that spreads the same over a longer time would be another.
    pub fn require_discounted_for(&self, market: &Market, duration: u32) -> Result<()> {
        require!(self.has_discount == 0 || duration <= market.epoch_seconds, MarketError::DiscountSpent);
        Ok(())
    }
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

    #[test]
    fn votes_since__stake_of_different_ages__counts_what_was_active_by_then() {
        let mut account: StakeAccount = Zeroable::zeroed();
        let mut pool: StakePool = Zeroable::zeroed();
        for (at, amount) in [(100, 1), (200, 10), (300, 100), (400, 1_000), (500, 10_000)] {
            (account.warming, account.warm_at, pool.epoch_started_at) = (amount, at, at);
            account.settle(&pool).unwrap();
        }
        (account.warming, account.warm_at) = (100_000, 600);
        for (opened_at, votes) in [
            (199, 0),
            (200, 11),
            (299, 11),
            (300, 111),
            (400, 1_111),
            (499, 1_111),
            (500, 11_111),
            (599, 11_111),
            (600, 111_111),
        ] {
            assert_eq!(account.votes_since(opened_at), votes, "{opened_at}");
        }
        account.active = 10_100;
        assert_eq!(account.votes_since(400), 100, "what has left was the oldest");
        assert_eq!(account.votes_since(300), 0);
    }

    #[test]
    fn require_closable__each_thing_it_may_hold__is_refused() {
        let empty: StakeAccount = anchor_lang::bytemuck::Zeroable::zeroed();
        assert_eq!(empty.require_closable(0, 0), Ok(()));
        let fill: [fn(&mut StakeAccount); 7] = [
            |account| account.active = 1,
            |account| account.warming = 1,
            |account| account.cooling = 1,
            |account| account.owed[0] = 1,
            |account| account.owed[1] = 1,
            |account| account.owed[2] = 1,
            |account| account.owed[3] = 1,
        ];
        for fill in fill {
            let mut account = empty;
            fill(&mut account);
            assert_eq!(account.require_closable(0, 0), Err(MarketError::StakeNotEmpty.into()));
        }
        let mut proposer = empty;
        proposer.proposal = Address::new_from_array([1; 32]);
        assert_eq!(proposer.require_closable(0, 0), Err(MarketError::ProposalLive.into()));
        let mut voted = empty;
        voted.voting_until = 100;
        assert_eq!([99, 100, 101].map(|now| voted.require_closable(now, 0).is_ok()), [false, true, true]);
        let mut busy = empty;
        busy.next_proposal = 100;
        assert_eq!([99, 100, 101].map(|slot| busy.require_closable(0, slot).is_ok()), [false, true, true]);
    }

    #[test]
    fn begin_proposal__nonce_around_the_next__is_refused_but_for_that() {
        for (nonce, works) in [(6, false), (7, true), (8, false)] {
            let mut account: StakeAccount = Zeroable::zeroed();
            account.next_proposal = 7;
            assert_eq!(account.begin_proposal(&Address::new_from_array([1; 32]), nonce).is_ok(), works, "{nonce}");
            assert_eq!(account.next_proposal, if works { 8 } else { 7 });
        }
    }
}
