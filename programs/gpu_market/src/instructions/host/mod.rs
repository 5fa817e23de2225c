mod approve_host;
mod close_listing;
mod create_listing;
mod heartbeat;
mod register_host;
mod update_host;
mod update_listing;
mod update_reputation;

pub use approve_host::*;
pub use close_listing::*;
pub use create_listing::*;
pub use heartbeat::*;
pub use register_host::*;
pub use update_host::*;
pub use update_listing::*;
pub use update_reputation::*;
