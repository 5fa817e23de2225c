//! The program's accounts: fields, sizes, transitions and what must always hold, one account a file.

mod action;
mod catalog;
mod host;
mod listing;
mod market;
mod meter;
mod payment_mint;
mod proposal;
mod rental;
mod renter_profile;
mod request;
mod stake_account;
mod stake_pool;
mod vault;
mod vote_record;

pub use action::*;
pub use catalog::*;
pub use host::*;
pub use listing::*;
pub use market::*;
pub use meter::*;
pub use payment_mint::*;
pub use proposal::*;
pub use rental::*;
pub use renter_profile::*;
pub use request::*;
pub use stake_account::*;
pub use stake_pool::*;
pub use vault::*;
pub use vote_record::*;
