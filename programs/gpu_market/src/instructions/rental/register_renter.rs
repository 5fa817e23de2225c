use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct RegisterRenter {
    /// May be the wallet itself, which is only read.
    #[account(unsafe(dup))]
    pub caller: Signer,
    /// Owner of the profile. Only they make it, often with their first order: made in front of that, it would fail.
    #[account(unsafe(dup))]
    pub wallet: Signer,
    #[account(init, payer = caller, seeds = [b"renter", wallet.address().as_ref()], bump)]
    pub renter_profile: Account<RenterProfile>,
    pub system_program: Program<System>,
}

/// `first_nonce` is that of the wallet's next order: from now on, in slots times [`NONCES_PER_SLOT`], and not far ahead.
pub fn register_renter(ctx: &mut Context<RegisterRenter>, first_nonce: u64) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let wallet = *accounts.wallet.address();
    let profile = &mut accounts.renter_profile;
    profile.bump = ctx.bumps.renter_profile;
    profile.stake = stake_address(&wallet);
    profile.wallet = wallet;
    let clock = Clock::get()?;
    profile.begin_nonces(first_nonce, clock.slot)?;
    let event = RenterRegistered {
        profile: *profile.address(),
        wallet,
        next_nonce: profile.next_nonce,
        at: clock.unix_timestamp,
    };
    emit_event!(ctx, event)
}
