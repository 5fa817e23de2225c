//! The program's accounts: fields, sizes, transitions and what must always hold, one account a file.

mod host;
mod listing;
mod market;
mod payment_mint;
mod rental;
mod renter_profile;
mod request;
mod stake_account;
mod vault;

pub use host::*;
pub use listing::*;
pub use market::*;
pub use payment_mint::*;
pub use rental::*;
pub use renter_profile::*;
pub use request::*;
pub use stake_account::*;
pub use vault::*;
