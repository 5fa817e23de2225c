use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct SetPaused {
    pub caller: Signer,
    #[account(mut, seeds = [b"market"], bump)]
    pub market: Account<Market>,
}

/// The authority's pause lasts until it resumes; the guardian's expires.
pub fn set_paused(ctx: &mut Context<SetPaused>, area: PauseArea, paused: bool) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let by = *accounts.caller.address();
    let at = Clock::get()?.unix_timestamp;
    let market = &mut accounts.market;
    let old = market.is_paused(area, at);
    if !address_eq(&by, &market.authority) {
        require!(paused && by == market.guardian, MarketError::Unauthorized);
        market.pause_for_a_while(area, at)?;
    } else if paused {
        market.pause(area);
    } else {
        market.resume(area, at);
    }
    let until = market.paused_until(area, at);
    let seq = market.next_seq();
    let event = PauseChanged { market: *market.address(), area, old, new: paused, until, by, at, seq };
    emit_event!(ctx, event)
}
