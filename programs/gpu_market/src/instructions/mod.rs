//! One instruction a file: accounts, checks, handler.

mod host;
mod market;
mod rental;
mod request;

pub use host::*;
pub use market::*;
pub use rental::*;
pub use request::*;
