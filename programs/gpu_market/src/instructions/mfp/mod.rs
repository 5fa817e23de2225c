//! The catalog of GPU models, and the market tokens that hosts lock against the extra fee.

mod initialize_catalog;
mod lock_mfp;
mod refresh_listing;
mod set_gpu_model;
mod unlock_mfp;
mod withdraw_mfp;

pub use initialize_catalog::*;
pub use lock_mfp::*;
pub use refresh_listing::*;
pub use set_gpu_model::*;
pub use unlock_mfp::*;
pub use withdraw_mfp::*;
