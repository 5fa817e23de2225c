mod compensation;
mod outbid;
mod place_bid;
mod preempt;
mod take_over;
mod withdraw_challenger;

pub use compensation::*;
pub use outbid::*;
pub use place_bid::*;
pub use preempt::*;
pub use take_over::*;
pub use withdraw_challenger::*;
