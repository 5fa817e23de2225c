use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct UnlockMfp {
    pub authority: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut)]
    pub host: Account<Host>,
}

/// The tokens stop counting at once; running rentals keep the fee they opened with.
pub fn unlock_mfp(ctx: &mut Context<UnlockMfp>, amount: u64) -> Result<()> {
    require!(amount > 0, MarketError::ZeroAmount);
    let accounts = &mut ctx.accounts;
    let (host, authority) = (&mut accounts.host, *accounts.authority.address());
    host.require_authority(&authority)?;
    let at = Clock::get()?.unix_timestamp;
    host.unlock_mfp(amount, accounts.market.mfp_unlock_delay, at)?;
    let event = MfpUnlocked {
        host: *host.address(),
        authority,
        amount,
        locked: host.mfp_locked,
        unlocking: host.mfp_unlocking,
        unlock_at: host.mfp_unlock_at,
        at,
        host_seq: host.next_seq(),
    };
    emit_event!(ctx, event)
}
