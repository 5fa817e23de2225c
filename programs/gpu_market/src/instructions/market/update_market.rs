use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct UpdateMarket {
    pub authority: Signer,
    #[account(mut, seeds = [b"market"], bump)]
    pub market: Account<Market>,
}

pub fn update_market(ctx: &mut Context<UpdateMarket>, parameter: MarketParameter, value: u64) -> Result<()> {
    let accounts = &mut ctx.accounts;
    accounts.market.require_authority(accounts.authority.address())?;
    let old = accounts.market.set(parameter, value)?;
    let seq = accounts.market.next_seq();
    let at = Clock::get()?.unix_timestamp;
    let event = MarketUpdated { market: *accounts.market.address(), parameter, old, new: value, at, seq };
    emit_event!(ctx, event)
}
