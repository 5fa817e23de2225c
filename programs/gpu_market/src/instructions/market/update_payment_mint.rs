use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct UpdatePaymentMint {
    pub authority: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut)]
    pub payment_mint: Account<PaymentMint>,
}

pub fn update_payment_mint(ctx: &mut Context<UpdatePaymentMint>, terms: PaymentMintTerms) -> Result<()> {
    let accounts = &mut ctx.accounts;
    accounts.market.require_authority(accounts.authority.address())?;
    let at = Clock::get()?.unix_timestamp;
    let market_mint = accounts.market.market_mint;
    let payment_mint = &mut accounts.payment_mint;
    let old = payment_mint.terms();
    payment_mint.set_terms(&terms, &market_mint, at)?;
    let new = payment_mint.terms();
    let seq = payment_mint.next_seq();
    let event = PaymentMintUpdated { payment_mint: *payment_mint.address(), old, new, at, seq };
    emit_event!(ctx, event)
}
