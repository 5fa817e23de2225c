//! One instruction a file: accounts, checks, handler.

mod host;
mod market;
mod mfp;
mod rental;
mod spot;
mod staking;

pub use host::*;
pub use market::*;
pub use mfp::*;
pub use rental::*;
pub use spot::*;
pub use staking::*;
