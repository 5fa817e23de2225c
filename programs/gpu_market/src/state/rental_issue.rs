use crate::*;

/// Fault that a renter finds in a machine.
#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq, Debug)]
pub enum RentalIssue {
    /// It cannot be reached, or no longer.
    Unreachable,
    /// It is not what the listing says.
    NotAsListed,
    /// It is slower than such a machine is.
    Slow,
    /// Its network fails or is slow.
    Network,
    Other,
}
