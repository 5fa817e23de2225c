//! Actions that are instructions of this program: it calls itself with the governance address as authority, so that a
//! vote and a signature take the same path.

use crate::*;
use pinocchio::cpi::{invoke_signed_unchecked, CpiAccount, Signer as PdaSigner};
use pinocchio::instruction::{InstructionAccount, InstructionView};
use pinocchio::sysvars::rent::Rent;
use pinocchio::sysvars::Sysvar;

/// Accounts begin with their discriminator.
const PAYMENT_MINT_SPACE: usize = size_of::<PaymentMint>().wrapping_add(8);
const GPU_MODEL_SPACE: usize = size_of::<GpuModel>().wrapping_add(8);

/// Calls the instruction of `action`, with `others` between its authority and the event authority.
pub fn invoke(
    accounts: &ExecuteProposal,
    others: &[AccountView],
    action: &Action,
    signers: &[PdaSigner],
) -> Result<()> {
    let data = instruction_data(action)?;
    lend_rent(accounts, others, action)?;
    call_itself(accounts, others, &data, signers);
    Ok(())
}

/// The instruction that does what was voted for; an action of another kind is refused.
fn instruction_data(action: &Action) -> Result<Vec<u8>> {
    Ok(match *action {
        Action::SetParameter { parameter, value } => instruction::UpdateMarket { parameter, value }.data(),
        Action::SetKey { key, new } => instruction::UpdateMarketKey { key, new }.data(),
        Action::SetPaused { area, paused } => instruction::SetPaused { area, paused }.data(),
        Action::ApproveHost { approved, subsidy_budget, .. } => {
            instruction::ApproveHost { approved, subsidy_budget }.data()
        }
        Action::AddPaymentMint { terms, .. } => instruction::AddPaymentMint { terms }.data(),
        Action::UpdatePaymentMint { terms, .. } => instruction::UpdatePaymentMint { terms }.data(),
        Action::AddRewardMint { .. } => instruction::AddRewardMint {}.data(),
        Action::SetGpuModel { number, terms } => {
            instruction::SetGpuModel { number: number.to_le_bytes(), terms }.data()
        }
        Action::WithdrawUnreserved { amount, .. } => instruction::WithdrawUnreserved { amount }.data(),
        Action::TreasuryTransfer { .. } | Action::UpgradeProgram { .. } => return Err(MarketError::WrongAction.into()),
    })
}

/// The caller pays for an account that the instruction creates unless it is there, through its authority, which pays on
/// what somebody has not sent there before.
fn lend_rent(accounts: &ExecuteProposal, others: &[AccountView], action: &Action) -> Result<()> {
    let (place, space) = match action {
        Action::AddPaymentMint { .. } => (2, PAYMENT_MINT_SPACE),
        Action::SetGpuModel { .. } => (1, GPU_MODEL_SPACE),
        _ => return Ok(()),
    };
    let view = others.get(place).ok_or(MarketError::WrongAction)?;
    if !view.owned_by(&crate::ID) {
        let missing = Rent::get()?.try_minimum_balance(space)?.saturating_sub(view.lamports());
        system::transfer(accounts.caller.account(), accounts.governance.account(), missing);
    }
    Ok(())
}

fn call_itself(accounts: &ExecuteProposal, others: &[AccountView], data: &[u8], signers: &[PdaSigner]) {
    let authority = accounts.governance.account();
    let last = [accounts.event_authority.account(), accounts.program.account()];
    let views = || others.iter().chain(last);
    let mut metas = vec![InstructionAccount::new(authority.address(), true, true)];
    metas.extend(views().map(|view| InstructionAccount::new(view.address(), view.is_writable(), false)));
    let mut infos = vec![CpiAccount::from(authority)];
    infos.extend(views().map(CpiAccount::from));
    let instruction = InstructionView { program_id: &crate::ID, accounts: &metas, data };
    // SAFETY: the proposal is the only account that this instruction holds a reference into; it is writable and
    // declared, so it is not among the others. Nothing is read after the call, and a failed one aborts.
    unsafe { invoke_signed_unchecked(&instruction, &infos, signers) };
}
