use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct PostPrice {
    pub oracle: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut)]
    pub payment_mint: Account<PaymentMint>,
}

/// A key that was stolen moves the price no faster than a step an interval; posting the same price keeps it fresh.
pub fn post_price(ctx: &mut Context<PostPrice>, price: u64) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let at = Clock::get()?.unix_timestamp;
    accounts.market.require_running(PauseArea::Prices, at)?;
    let payment_mint = &mut accounts.payment_mint;
    require!(payment_mint.oracle_kind == OracleKind::Posted as u8, MarketError::OracleNotPosted);
    require!(address_eq(&payment_mint.oracle, accounts.oracle.address()), MarketError::WrongOracle);
    let old = payment_mint.post(price, &accounts.market, at)?;
    let seq = payment_mint.next_seq();
    let event =
        PricePosted { payment_mint: *payment_mint.address(), mint: payment_mint.mint, old, new: price, at, seq };
    emit_event!(ctx, event)
}
