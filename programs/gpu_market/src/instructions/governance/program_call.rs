//! Actions on the program's own code, through the loader that owns it.

use super::ExecuteProposal;
use crate::errors::MarketError;
use crate::instructions::LOADER_V3;
use crate::state::Action;
use anchor_lang::address_eq;
use anchor_lang::prelude::*;
use pinocchio::cpi::{invoke_signed_unchecked, CpiAccount, Signer as PdaSigner};
use pinocchio::instruction::{InstructionAccount, InstructionView};

const UPGRADE: [u8; 4] = [3, 0, 0, 0];
const EXTEND_PROGRAM_CHECKED: [u8; 4] = [9, 0, 0, 0];
/// A buffer's code is behind its tag and authority.
const BUFFER_HEADER: usize = 37;

/// Upgrades or extends the program. `others` are, each as the loader wants it:
/// - program data, program, buffer, the proposer's wallet (takes the buffer's lamports), rent, clock, the loader;
/// - program data, program, the system program, the loader.
pub fn invoke(
    accounts: &ExecuteProposal,
    others: &[AccountView],
    action: &Action,
    signers: &[PdaSigner],
) -> Result<()> {
    let governance = accounts.governance.account();
    match (action, others) {
        (Action::UpgradeProgram { buffer, sha256 }, [program_data, program, code, spill, rent, clock, _]) => {
            require!(address_eq(code.address(), buffer), MarketError::WrongAction);
            require!(address_eq(spill.address(), &accounts.proposal.proposer), MarketError::WrongAction);
            require!(hash_of(code)? == *sha256, MarketError::BufferChanged);
            let call = [
                written(program_data),
                written(program),
                written(code),
                written(spill),
                read(rent),
                read(clock),
                (governance, false, true),
            ];
            call_loader(call, &UPGRADE, signers);
        }
        (Action::ExtendProgram { additional_bytes }, [program_data, program, system, _]) => {
            let mut data = [0; 8];
            data[..4].copy_from_slice(&EXTEND_PROGRAM_CHECKED);
            data[4..].copy_from_slice(&additional_bytes.to_le_bytes());
            let payer = (governance, true, true);
            call_loader([written(program_data), written(program), payer, read(system), payer], &data, signers);
        }
        _ => return Err(MarketError::WrongAction.into()),
    }
    Ok(())
}

fn hash_of(buffer: &AccountView) -> Result<[u8; 32]> {
    require!(buffer.owned_by(&LOADER_V3), MarketError::BufferChanged);
    let data = buffer.try_borrow()?;
    Ok(sha256(data.get(BUFFER_HEADER..).ok_or(MarketError::BufferChanged)?))
}

/// An account with whether it is writable and whether it signs.
type Passed<'a> = (&'a AccountView, bool, bool);

fn written(view: &AccountView) -> Passed<'_> {
    (view, true, false)
}

fn read(view: &AccountView) -> Passed<'_> {
    (view, false, false)
}

fn call_loader<const N: usize>(accounts: [Passed; N], data: &[u8], signers: &[PdaSigner]) {
    let metas = accounts.map(|(view, writable, signs)| InstructionAccount::new(view.address(), writable, signs));
    let infos = accounts.map(|(view, ..)| CpiAccount::from(view));
    let instruction = InstructionView { program_id: &LOADER_V3, accounts: &metas, data };
    // SAFETY: no reference into these accounts' data is alive, and nothing is read after the call; a failed one aborts.
    unsafe { invoke_signed_unchecked(&instruction, &infos, signers) }
}
