//! One instruction a file: accounts, checks, handler.

mod charges;
mod host;
mod market;
mod rental;
mod spot;

pub use charges::*;
pub use host::*;
pub use market::*;
pub use rental::*;
pub use spot::*;
