#![allow(unused_variables)] // the accounts macro binds the arguments that seeds use in every place it expands to

use crate::*;

#[event_cpi]
#[derive(Accounts)]
#[instruction(number: [u8; 2])]
pub struct SetGpuModel {
    #[account(mut)]
    pub authority: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(init_if_needed, payer = authority, seeds = [b"gpu", number.as_ref()], bump)]
    pub gpu_model: Account<GpuModel>,
    pub system_program: Program<System>,
}

/// Listings take the new terms when they are next created, updated or refreshed.
pub fn set_gpu_model(ctx: &mut Context<SetGpuModel>, number: [u8; 2], terms: GpuTerms) -> Result<()> {
    let accounts = &mut ctx.accounts;
    accounts.market.require_authority(accounts.authority.address())?;
    require!(u16::from_le_bytes(number) > 0, MarketError::UnknownGpuModel);
    let model = &mut accounts.gpu_model;
    model.bump = ctx.bumps.gpu_model;
    model.number = number;
    let event = GpuModelSet {
        gpu_model: *model.address(),
        number: u16::from_le_bytes(number),
        old: model.set_terms(&terms),
        new: terms,
        at: Clock::get()?.unix_timestamp,
        seq: model.next_seq(),
    };
    emit_event!(ctx, event)
}
