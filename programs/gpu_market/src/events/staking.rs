use crate::*;

/// A stake account after the event; `owed` is what it may claim of each stream.
#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq)]
pub struct StakeState {
    pub active: u64,
    pub warming: u64,
    pub cooling: u64,
    pub warm_at: i64,
    pub cool_at: i64,
    pub owed: [u64; REWARD_STREAMS],
}

/// All stake after the event.
#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq)]
pub struct PoolTotals {
    pub active: u64,
    pub warming: u64,
    pub cooling: u64,
}

impl StakeState {
    pub fn of(account: &StakeAccount) -> Self {
        Self {
            active: account.active,
            warming: account.warming,
            cooling: account.cooling,
            warm_at: account.warm_at,
            cool_at: account.cool_at,
            owed: account.owed,
        }
    }
}

impl PoolTotals {
    pub fn of(pool: &StakePool) -> Self {
        Self { active: pool.active, warming: pool.warming, cooling: pool.cooling }
    }
}

#[event]
pub struct PoolInitialized {
    pub pool: Address,
    pub mint: Address,
    pub token_account: Address,
    pub epoch_ends_at: i64,
    pub at: i64,
    pub pool_seq: u64,
}

#[event]
pub struct RewardMintAdded {
    pub pool: Address,
    pub stream: u8,
    pub mint: Address,
    pub token_account: Address,
    pub at: i64,
    pub pool_seq: u64,
}

/// `shared` left each stream's queue for the stakers. Accumulators are rewards per base unit, Q64: `acc` up to the
/// start of the new epoch, `next_acc` up to its end.
#[event]
pub struct EpochAdvanced {
    pub pool: Address,
    pub old_epoch: u64,
    pub epoch: u64,
    pub started_at: i64,
    pub ends_at: i64,
    pub active: u64,
    pub shared: [u64; REWARD_STREAMS],
    pub queued: [u64; REWARD_STREAMS],
    pub acc: [u128; REWARD_STREAMS],
    pub next_acc: [u128; REWARD_STREAMS],
    pub at: i64,
    pub pool_seq: u64,
}

#[event]
pub struct Staked {
    pub stake: Address,
    pub owner: Address,
    pub amount: u64,
    pub state: StakeState,
    pub pool: PoolTotals,
    pub at: i64,
    pub seq: u64,
    pub pool_seq: u64,
}

/// `forfeited` went back to each stream's queue.
#[event]
pub struct Unstaked {
    pub stake: Address,
    pub owner: Address,
    pub from_warming: u64,
    pub from_active: u64,
    pub forfeited: [u64; REWARD_STREAMS],
    pub state: StakeState,
    pub pool: PoolTotals,
    pub at: i64,
    pub seq: u64,
    pub pool_seq: u64,
}

#[event]
pub struct StakeWithdrawn {
    pub stake: Address,
    pub owner: Address,
    pub amount: u64,
    pub state: StakeState,
    pub pool: PoolTotals,
    pub at: i64,
    pub seq: u64,
    pub pool_seq: u64,
}

/// The account was empty; its rent went back to the owner. An account opened again counts from one.
#[event]
pub struct StakeClosed {
    pub stake: Address,
    pub owner: Address,
    pub at: i64,
    pub seq: u64,
}

/// `queued` and `funded` are the stream's after the event.
#[event]
pub struct RewardsFunded {
    pub pool: Address,
    pub stream: u8,
    pub mint: Address,
    pub by: Address,
    pub amount: u64,
    pub queued: u64,
    pub funded: u64,
    pub at: i64,
    pub pool_seq: u64,
}

/// The stakers' share of a vault's fees came to their rewards.
#[event]
pub struct StakersSwept {
    pub vault: Address,
    pub pool: Address,
    pub stream: u8,
    pub mint: Address,
    pub by: Address,
    pub amount: u64,
    pub queued: u64,
    pub funded: u64,
    pub at: i64,
    pub vault_seq: u64,
    pub pool_seq: u64,
}

/// The stakers' share of a vault's fees went to the treasury, since the pool has no stream left for its mint.
#[event]
pub struct StakersReleased {
    pub vault: Address,
    pub mint: Address,
    pub by: Address,
    pub amount: u64,
    pub at: i64,
    pub vault_seq: u64,
}

#[event]
pub struct RewardsClaimed {
    pub stake: Address,
    pub owner: Address,
    pub stream: u8,
    pub mint: Address,
    pub amount: u64,
    pub state: StakeState,
    pub at: i64,
    pub seq: u64,
    pub pool_seq: u64,
}

/// Claimed market tokens became warming stake.
#[event]
pub struct RewardsCompounded {
    pub stake: Address,
    pub owner: Address,
    pub stream: u8,
    pub amount: u64,
    pub state: StakeState,
    pub pool: PoolTotals,
    pub at: i64,
    pub seq: u64,
    pub pool_seq: u64,
}
