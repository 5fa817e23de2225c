//! Calls another program through itself, signing by addresses of its own: what a multisig or a wallet program does.
//!
//! Data: calls of itself to make first, number of signers, for each its bump and its seed of
//! 32 bytes, then for each account whether it signs (1) and is writable (2), then the data for the program.
//! Accounts: this program, the program to call, and that program's accounts.

use pinocchio::cpi::{invoke_signed_unchecked, CpiAccount, Seed, Signer};
use pinocchio::instruction::{InstructionAccount, InstructionView};
use pinocchio::{default_allocator, error::ProgramError, program_entrypoint, AccountView, Address, ProgramResult};

program_entrypoint!(process);
default_allocator!();

const SEED: usize = 32;
const SIGNER: usize = 1 + SEED;
const SIGNS: u8 = 1;
const IS_WRITABLE: u8 = 2;

fn process(own: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let (&calls_left, rest) = data.split_first().ok_or(ProgramError::InvalidInstructionData)?;
    let views: Vec<CpiAccount> = accounts.iter().map(CpiAccount::from).collect();
    if calls_left > 0 {
        return call_itself(own, accounts, &views, calls_left - 1, rest);
    }
    let [_, program, accounts @ ..] = &*accounts else { return Err(ProgramError::NotEnoughAccountKeys) };
    let (&signers, rest) = rest.split_first().ok_or(ProgramError::InvalidInstructionData)?;
    let (signers, rest) = split(rest, usize::from(signers) * SIGNER)?;
    let (flags, data) = split(rest, accounts.len())?;
    let metas: Vec<InstructionAccount> = accounts
        .iter()
        .zip(flags)
        .map(|(view, flag)| InstructionAccount::new(view.address(), flag & IS_WRITABLE != 0, flag & SIGNS != 0))
        .collect();
    let seeds: Vec<[Seed; 2]> =
        signers.chunks_exact(SIGNER).map(|signer| [Seed::from(&signer[1..=SEED]), Seed::from(&signer[..1])]).collect();
    let signers: Vec<Signer> = seeds.iter().map(|seeds| Signer::from(seeds)).collect();
    let instruction = InstructionView { program_id: program.address(), accounts: &metas, data };
    // SAFETY: nothing here borrows an account's data.
    unsafe { invoke_signed_unchecked(&instruction, &views[2..], &signers) };
    Ok(())
}

fn call_itself(
    own: &Address,
    accounts: &[AccountView],
    views: &[CpiAccount],
    calls_left: u8,
    rest: &[u8],
) -> ProgramResult {
    let data = [&[calls_left], rest].concat();
    let metas: Vec<InstructionAccount> = accounts
        .iter()
        .map(|view| InstructionAccount::new(view.address(), view.is_writable(), view.is_signer()))
        .collect();
    let instruction = InstructionView { program_id: own, accounts: &metas, data: &data };
    // SAFETY: as above.
    unsafe { invoke_signed_unchecked(&instruction, views, &[]) };
    Ok(())
}

fn split(data: &[u8], at: usize) -> Result<(&[u8], &[u8]), ProgramError> {
    data.split_at_checked(at).ok_or(ProgramError::InvalidInstructionData)
}
