//! The action on the program's own code, through the loader that owns it. More room for code needs no vote: the loader
//! lets anyone pay for it.

use crate::*;
use anchor_lang::find_program_address;
use pinocchio::cpi::{invoke_signed_unchecked, CpiAccount, Signer as PdaSigner};
use pinocchio::instruction::{InstructionAccount, InstructionView};

const UPGRADE: [u8; 4] = [3, 0, 0, 0];
/// A buffer's code is behind its tag and authority.
const BUFFER_HEADER: usize = 37;
/// The first accounts are written, the last one signs.
const WRITTEN: usize = 4;
const AUTHORITY: usize = 6;

/// Requires this program, whose code the loader keeps at an address of its own, the buffer that was voted on, and its
/// proposer's wallet, all where [`invoke`] takes them. The loader alone would upgrade any program that has the governance
/// address as its authority.
pub fn require_accounts(others: &[AccountView], buffer: &Address, proposer: &Address) -> Result<()> {
    let (program_data, _) = find_program_address(&[crate::ID.as_ref()], &LOADER_V3);
    let voted = [&program_data, &crate::ID, buffer, proposer];
    let given = others.get(..voted.len()).ok_or(MarketError::WrongAction)?;
    let agree = given.iter().zip(voted).all(|(given, voted)| address_eq(given.address(), voted));
    require!(agree, MarketError::WrongAction);
    Ok(())
}

/// Upgrades the program to the code in the buffer. `others` are, as the loader wants them: program data, program, buffer,
/// the proposer's wallet (takes the buffer's lamports), rent, clock, and the loader.
pub fn invoke(
    accounts: &ExecuteProposal,
    others: &[AccountView],
    sha256: &[u8; 32],
    signers: &[PdaSigner],
) -> Result<()> {
    let [program_data, program, code, spill, rent, clock, _] = others else {
        return Err(MarketError::WrongAction.into());
    };
    require!(hash_of(code)? == *sha256, MarketError::BufferChanged);
    let passed = [program_data, program, code, spill, rent, clock, accounts.governance.account()];
    let metas: [InstructionAccount; 7] = core::array::from_fn(|place| {
        InstructionAccount::new(passed[place].address(), place < WRITTEN, place == AUTHORITY)
    });
    let infos = passed.map(CpiAccount::from);
    let instruction = InstructionView { program_id: &LOADER_V3, accounts: &metas, data: &UPGRADE };
    // SAFETY: no reference into these accounts' data is alive, and nothing is read after the call; a failed one aborts.
    unsafe { invoke_signed_unchecked(&instruction, &infos, signers) };
    Ok(())
}

fn hash_of(buffer: &AccountView) -> Result<[u8; 32]> {
    require!(buffer.owned_by(&LOADER_V3), MarketError::BufferChanged);
    let data = buffer.try_borrow()?;
    Ok(sha256(data.get(BUFFER_HEADER..).ok_or(MarketError::BufferChanged)?))
}
