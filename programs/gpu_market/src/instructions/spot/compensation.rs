use crate::*;

/// Payment of an order that waited to the holder it displaced, `kept` of it as a fee, and the seq of its vault by that;
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

/// A compensation that comes alone, out of the vault of the order that waited; without one of the first three it is refused.
pub struct Apart<'a> {
    pub vault: Option<&'a mut Account<Vault>>,
    pub vault_token: Option<&'a UncheckedAccount>,
    /// The holder's wallet for SOL, else their token account, the associated one unless they sign.
    pub payout: Option<&'a UncheckedAccount>,
    pub holder: &'a Address,
    pub caller: &'a Address,
    /// Lamports that the same transaction brings the holder besides.
    pub lamports: u64,
}

impl Apart<'_> {
    /// Pays `amount` out of the escrow of `challenger`; what the holder cannot take is a fee.
    pub fn pay(self, challenger: &mut Account<Rental>, amount: u64) -> Result<Compensation> {
        let vault = self.vault.ok_or(MarketError::WrongVault)?;
        let from = self.vault_token.ok_or(MarketError::WrongVault)?;
        let account = self.payout.ok_or(MarketError::WrongVault)?.account();
        require!(vault.holds(challenger), MarketError::WrongVault);
        require!(address_eq(from.address(), &vault.token_account), MarketError::WrongVault);
        let (caller, lamports) = (self.caller, self.lamports);
        let due = Due { mint: &challenger.mint, amount, from: from.account(), caller, lamports };
        let is_paid = amount > 0 && Payee::new(self.holder, account).can_take(&due)?;
        let compensation = Compensation::book(challenger, vault, amount, is_paid)?;
        if is_paid {
            pay_from_vault(vault, from, account, amount);
        }
        Ok(compensation)
    }
}
