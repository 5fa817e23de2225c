use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct CloseRenter {
    #[account(mut)]
    pub wallet: Signer,
    #[account(mut, constraint = address_eq(&renter_profile.wallet, wallet.address()) @ MarketError::WrongRenter)]
    pub renter_profile: Account<RenterProfile>,
}

/// The wallet gets the rent of its profile, and loses the quota that its spend has earned. Open requests stay.
pub fn close_renter(ctx: &mut Context<CloseRenter>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let clock = Clock::get()?;
    let profile = &mut accounts.renter_profile;
    profile.require_closable(clock.slot)?;
    let event = RenterClosed {
        profile: *profile.address(),
        wallet: profile.wallet,
        next_nonce: profile.next_nonce,
        at: clock.unix_timestamp,
    };
    profile.close(*accounts.wallet.account())?;
    emit_event!(ctx, event)
}
