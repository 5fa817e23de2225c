mod accept_usage;
mod close_meter;
mod dispute_usage;
mod open_meter;
mod report_usage;
mod resolve_dispute;
mod set_charges;
mod settle_meter;

pub use accept_usage::*;
pub use close_meter::*;
pub use dispute_usage::*;
pub use open_meter::*;
pub use report_usage::*;
pub use resolve_dispute::*;
pub use set_charges::*;
pub use settle_meter::*;
