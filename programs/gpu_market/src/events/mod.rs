//! Facts about what changed: keys, amounts, old and new, and the `seq` of every entity that changed, so that a reader
//! can prove it has missed none. Layouts only grow at the tail.

mod charges;
mod emit;
mod governance;
mod host;
mod market;
mod mfp;
mod rental;
mod request;
mod spot;
mod staking;

pub use charges::*;
pub use emit::{call, emit, emit_here, Flat, FlatEvent};
pub use governance::*;
pub use host::*;
pub use market::*;
pub use mfp::*;
pub use rental::*;
pub use request::*;
pub use spot::*;
pub use staking::*;
