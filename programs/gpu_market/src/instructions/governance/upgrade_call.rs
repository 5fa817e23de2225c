//! The action on the program's own code, through the loader that owns it. More room for code needs no vote: the loader
//! lets anyone pay for it.

use crate::*;
use pinocchio::cpi::{invoke_signed_unchecked, CpiAccount, Signer as PdaSigner};
use pinocchio::instruction::{InstructionAccount, InstructionView};

const UPGRADE: [u8; 4] = [3, 0, 0, 0];
/// A buffer's code is behind its tag and authority.
const BUFFER_HEADER: usize = 37;
/// The first accounts are written, the last one signs.
const WRITTEN: usize = 4;
const AUTHORITY: usize = 6;

/// Upgrades the program to the code in `buffer`. `others` are, as the loader wants them: program data, program, buffer,
/// the proposer's wallet (takes the buffer's lamports), rent, clock, and the loader.
pub fn invoke(
    accounts: &ExecuteProposal,
    others: &[AccountView],
    buffer: &Address,
    sha256: &[u8; 32],
    signers: &[PdaSigner],
) -> Result<()> {
    let [program_data, program, code, spill, rent, clock, _] = others else {
        return Err(MarketError::WrongAction.into());
    };
    require!(address_eq(code.address(), buffer), MarketError::WrongAction);
    require!(address_eq(spill.address(), &accounts.proposal.proposer), MarketError::WrongAction);
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
