//! GPU points, and the market tokens that hosts lock against the extra fee.

mod initialize_catalog;
mod lock_mfp;
mod refresh_points;
mod set_gpu_points;
mod unlock_mfp;
mod withdraw_mfp;

pub use initialize_catalog::*;
pub use lock_mfp::*;
pub use refresh_points::*;
pub use set_gpu_points::*;
pub use unlock_mfp::*;
pub use withdraw_mfp::*;
