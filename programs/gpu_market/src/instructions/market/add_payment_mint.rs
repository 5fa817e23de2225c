use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct AddPaymentMint {
    #[account(mut)]
    pub authority: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    pub mint: UncheckedAccount,
    #[account(init, payer = authority, seeds = [b"mint", mint.address().as_ref()], bump)]
    pub payment_mint: Account<PaymentMint>,
    pub system_program: Program<System>,
}

pub fn add_payment_mint(ctx: &mut Context<AddPaymentMint>, terms: PaymentMintTerms) -> Result<()> {
    let accounts = &mut ctx.accounts;
    accounts.market.require_authority(accounts.authority.address())?;
    let KnownMint { decimals, freezable, mintable, supply } = require_mint(accounts.mint.account())?;
    let at = Clock::get()?.unix_timestamp;
    let mint = *accounts.mint.address();
    let market_mint = accounts.market.market_mint;
    let payment_mint = &mut accounts.payment_mint;
    payment_mint.bump = ctx.bumps.payment_mint;
    payment_mint.decimals = decimals;
    payment_mint.freezable = freezable.into();
    payment_mint.mint = mint;
    payment_mint.set_terms(&terms, &market_mint, at)?;
    let seq = payment_mint.next_seq();
    let terms = payment_mint.terms();
    let payment_mint = *payment_mint.address();
    let event = PaymentMintAdded { payment_mint, mint, decimals, terms, at, seq, freezable, mintable, supply };
    emit_event!(ctx, event)
}
