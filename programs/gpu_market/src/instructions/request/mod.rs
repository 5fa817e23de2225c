mod cancel_request;
mod end_request;
mod expire_request;
mod match_request;
mod open_request;

pub use cancel_request::*;
pub use end_request::*;
pub use expire_request::*;
pub use match_request::*;
pub use open_request::*;
