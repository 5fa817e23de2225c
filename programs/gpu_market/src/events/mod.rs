//! Facts about what changed: keys, amounts, old and new, and the `seq` of every entity that changed, so that a reader
//! can prove it has missed none. Layouts only grow at the tail.

mod emit;
mod host;
mod market;
mod rental;
mod request;

pub use emit::emit;
pub use host::*;
pub use market::*;
pub use rental::*;
pub use request::*;
