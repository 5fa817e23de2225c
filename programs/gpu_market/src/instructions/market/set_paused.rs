use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct SetPaused {
    pub caller: Signer,
    #[account(mut, seeds = [b"market"], bump)]
    pub market: Account<Market>,
}

pub fn set_paused(ctx: &mut Context<SetPaused>, area: PauseArea, paused: bool) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let by = *accounts.caller.address();
    let market = &mut accounts.market;
    let may = by == market.authority || (paused && by == market.guardian);
    require!(may, MarketError::Unauthorized);
    let old = market.paused & area.bit() != 0;
    market.paused = if paused { market.paused | area.bit() } else { market.paused & !area.bit() };
    let seq = market.next_seq();
    let at = Clock::get()?.unix_timestamp;
    let event = PauseChanged { market: *market.address(), area, old, new: paused, by, at, seq };
    emit_event!(ctx, event)
}
