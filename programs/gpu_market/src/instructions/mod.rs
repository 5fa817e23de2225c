//! One instruction a file: accounts, checks, handler.

mod charges;
mod governance;
mod host;
mod market;
mod mfp;
mod rental;
mod request;
mod spot;
mod staking;

pub use charges::*;
pub use governance::*;
pub use host::*;
pub use market::*;
pub use mfp::*;
pub use rental::*;
pub use request::*;
pub use spot::*;
pub use staking::*;
