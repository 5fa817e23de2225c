use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct UpdateMarketKey {
    pub authority: Signer,
    #[account(mut, seeds = [b"market"], bump)]
    pub market: Account<Market>,
}

pub fn update_market_key(ctx: &mut Context<UpdateMarketKey>, key: MarketKey, new: Address) -> Result<()> {
    let accounts = &mut ctx.accounts;
    accounts.market.require_authority(accounts.authority.address())?;
    let field = match key {
        MarketKey::Guardian => &mut accounts.market.guardian,
        MarketKey::Treasury => &mut accounts.market.treasury,
    };
    let old = core::mem::replace(field, new);
    let seq = accounts.market.next_seq();
    let at = Clock::get()?.unix_timestamp;
    let event = MarketKeyUpdated { market: *accounts.market.address(), key, old, new, at, seq };
    emit_event!(ctx, event)
}
