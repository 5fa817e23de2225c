//! Actions that are instructions of this program: it calls itself with the governance address as authority, so that a
//! vote and a signature take the same path.

use crate::*;
use pinocchio::cpi::{invoke_signed_unchecked, CpiAccount, Signer as PdaSigner};
use pinocchio::instruction::{InstructionAccount, InstructionView};
use pinocchio::sysvars::rent::Rent;
use pinocchio::sysvars::Sysvar;

/// Accounts begin with their discriminator.
const PAYMENT_MINT_SPACE: usize = size_of::<PaymentMint>().wrapping_add(8);

struct MarketCall {
    data: Vec<u8>,
    /// The account that the action names, and its place among the others.
    named: Option<(usize, Address)>,
    /// Bytes of the account that the call creates; zero if it creates none.
    created: usize,
}

impl MarketCall {
    fn new(data: Vec<u8>) -> Self {
        Self { data, named: None, created: 0 }
    }

    fn naming(self, place: usize, address: Address) -> Self {
        Self { named: Some((place, address)), ..self }
    }

    fn creating(self, created: usize) -> Self {
        Self { created, ..self }
    }

    /// The call of an action; an action of another kind is refused.
    fn of(action: &Action) -> Result<Self> {
        Ok(match *action {
            Action::SetParameter { parameter, value } => {
                Self::new(instruction::UpdateMarket { parameter, value }.data())
            }
            Action::SetKey { key, new } => Self::new(instruction::UpdateMarketKey { key, new }.data()),
            Action::SetPaused { area, paused } => Self::new(instruction::SetPaused { area, paused }.data()),
            Action::ApproveHost { host, approved } => {
                Self::new(instruction::ApproveHost { approved }.data()).naming(1, host)
            }
            Action::AddPaymentMint { mint, terms } => {
                Self::new(instruction::AddPaymentMint { terms }.data()).naming(1, mint).creating(PAYMENT_MINT_SPACE)
            }
            Action::UpdatePaymentMint { payment_mint, terms } => {
                Self::new(instruction::UpdatePaymentMint { terms }.data()).naming(1, payment_mint)
            }
            Action::AddRewardMint { mint } => Self::new(instruction::AddRewardMint {}.data()).naming(2, mint),
            Action::SetGpuPoints { model, points } => Self::new(instruction::SetGpuPoints { model, points }.data()),
            _ => return Err(MarketError::WrongAction.into()),
        })
    }
}

/// Calls the instruction of `action` with `others` between its authority and the event authority.
pub fn invoke(
    accounts: &ExecuteProposal,
    others: &[AccountView],
    action: &Action,
    signers: &[PdaSigner],
) -> Result<()> {
    let call = MarketCall::of(action)?;
    if let Some((place, address)) = &call.named {
        let named = others.get(*place).ok_or(MarketError::WrongAction)?;
        require!(address_eq(named.address(), address), MarketError::WrongAction);
    }
    if call.created > 0 {
        let rent = Rent::get()?.try_minimum_balance(call.created)?;
        system::transfer(accounts.caller.account(), accounts.governance.account(), rent);
    }
    let last = [accounts.event_authority.account(), accounts.program.account()];
    let views = || others.iter().chain(last);
    let governance = accounts.governance.account();
    let mut metas = vec![InstructionAccount::new(governance.address(), true, true)];
    metas.extend(views().map(|view| InstructionAccount::new(view.address(), view.is_writable(), false)));
    let mut infos = vec![CpiAccount::from(governance)];
    infos.extend(views().map(CpiAccount::from));
    let instruction = InstructionView { program_id: &crate::ID, accounts: &metas, data: &call.data };
    // SAFETY: the proposal is the only account that this instruction holds a reference into; it is writable and
    // declared, so it is not among the others. Nothing is read after the call, and a failed one aborts.
    unsafe { invoke_signed_unchecked(&instruction, &infos, signers) };
    Ok(())
}
