mod cancel_proposal;
mod close_vote;
mod create_proposal;
mod execute_proposal;
mod hand_over;
mod market_call;
mod queue_proposal;
mod upgrade_call;
mod vote;

pub use cancel_proposal::*;
pub use close_vote::*;
pub use create_proposal::*;
pub use execute_proposal::*;
pub use hand_over::*;
pub use queue_proposal::*;
pub use vote::*;
