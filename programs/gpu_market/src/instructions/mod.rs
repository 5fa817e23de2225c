//! One instruction a file: accounts, checks, handler.

mod governance;
mod host;
mod market;
mod rental;

pub use governance::*;
pub use host::*;
pub use market::*;
pub use rental::*;
