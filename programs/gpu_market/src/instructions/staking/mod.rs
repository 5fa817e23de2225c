//! Stake, epochs and rewards. Every instruction that names the pool passes the epoch boundaries up to now first.

mod add_reward_mint;
mod advance_epoch;
mod claim;
mod close_stake;
mod compound;
mod fund_rewards;
mod initialize_pool;
mod stake;
mod sweep_stakers;
mod unstake;
mod withdraw_stake;

pub use add_reward_mint::*;
pub use advance_epoch::*;
pub use claim::*;
pub use close_stake::*;
pub use compound::*;
pub use fund_rewards::*;
pub use initialize_pool::*;
pub use stake::*;
pub use sweep_stakers::*;
pub use unstake::*;
pub use withdraw_stake::*;
