//! Accounts that a vote has decided on, checked before the proposal's state changes. Whom the treasury pays is checked
//! where it is paid, by the rule of every payment; the executor chooses only which of the governance's own token accounts
//! of the voted mint it leaves.

use super::upgrade_call;
use crate::*;
use anchor_lang::find_program_address;

/// Requires that each of `others` which the vote has decided on is at its place. An instruction of this program checks the
/// rest of its own.
pub fn require(action: &Action, others: &[AccountView]) -> Result<()> {
    let (place, address) = match *action {
        Action::ApproveHost { host, .. } => (1, host),
        Action::AddPaymentMint { mint, .. } => (1, mint),
        Action::UpdatePaymentMint { payment_mint, .. } => (1, payment_mint),
        Action::AddRewardMint { mint } => (2, mint),
        Action::WithdrawUnreserved { mint, shard, .. } => {
            (1, find_program_address(&[b"vault", mint.as_ref(), &[shard]], &crate::ID).0)
        }
        Action::UpgradeProgram { buffer, .. } => return upgrade_call::require_accounts(others, &buffer),
        _ => return Ok(()),
    };
    let given = others.get(place).ok_or(MarketError::WrongAction)?;
    require!(address_eq(given.address(), &address), MarketError::WrongAction);
    Ok(())
}
