use crate::*;

/// What an order that waited paid to the holder it displaced, `kept` of it as a fee, and the seq of its vault by that;
/// all zero when it paid nothing.
#[derive(Clone, Copy, Default)]
pub struct Compensation {
    pub amount: u64,
    pub kept: u64,
    pub vault_seq: u64,
}

impl Compensation {
    /// Takes `amount` out of the escrow of `challenger`, which `vault` holds; the caller pays it, if it can be paid.
    pub fn book(challenger: &mut Rental, vault: &mut Vault, amount: u64, is_paid: bool) -> Result<Self> {
        if amount == 0 {
            return Ok(Self::default());
        }
        let kept = if is_paid { 0 } else { amount };
        vault.compensate(amount, kept)?;
        challenger.deposit = math::sub(challenger.deposit, amount)?;
        challenger.compensated = 1;
        Ok(Self { amount, kept, vault_seq: vault.next_seq() })
    }
}
