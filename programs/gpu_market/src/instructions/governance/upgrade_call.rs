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

/// Requires this program, whose code the loader keeps at an address of its own, and the buffer that was voted on, all where
/// [`invoke`] takes them. The loader alone would upgrade any program that has the governance address as its authority.
pub fn require_accounts(others: &[AccountView], buffer: &Address) -> Result<()> {
    let (program_data, _) = find_program_address(&[crate::ID.as_ref()], &LOADER_V3);
    let voted = [&program_data, &crate::ID, buffer];
    let given = others.get(..voted.len()).ok_or(MarketError::WrongAction)?;
    let agree = given.iter().zip(voted).all(|(given, voted)| address_eq(given.address(), voted));
    require!(agree, MarketError::WrongAction);
    Ok(())
}

/// Upgrades the program to the code in the buffer. `others` are, as the loader wants them: program data, program, buffer,
/// rent, clock, and the loader. The buffer's lamports go to the proposal, whose closing returns them to the proposer with
/// its rent: into their wallet they could stop the upgrade, by making a program of it.
pub fn invoke(
    accounts: &ExecuteProposal,
    others: &[AccountView],
    sha256: &[u8; 32],
    signers: &[PdaSigner],
) -> Result<()> {
    let [program_data, program, code, rent, clock, _] = others else {
        return Err(MarketError::WrongAction.into());
    };
    require!(hash_of(code)? == *sha256, MarketError::BufferChanged);
    let (spill, authority) = (accounts.proposal.account(), accounts.governance.account());
    let passed = [program_data, program, code, spill, rent, clock, authority];
    let metas: [InstructionAccount; 7] = core::array::from_fn(|place| {
        InstructionAccount::new(passed[place].address(), place < WRITTEN, place == AUTHORITY)
    });
    let infos = passed.map(CpiAccount::from);
    let instruction = InstructionView { program_id: &LOADER_V3, accounts: &metas, data: &UPGRADE };
    // SAFETY: of these accounts only the proposal has its data referred to, and the loader adds to its lamports alone.
    // Nothing is read after the call, and a failed one aborts.
    unsafe { invoke_signed_unchecked(&instruction, &infos, signers) };
    Ok(())
}

fn hash_of(buffer: &AccountView) -> Result<[u8; 32]> {
    require!(buffer.owned_by(&LOADER_V3), MarketError::BufferChanged);
    let data = buffer.try_borrow()?;
    Ok(sha256(data.get(BUFFER_HEADER..).ok_or(MarketError::BufferChanged)?))
}
