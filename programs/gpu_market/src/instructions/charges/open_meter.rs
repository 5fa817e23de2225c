use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct OpenMeter {
    #[account(mut)]
    pub renter: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut)]
    pub rental: Account<Rental>,
    #[account(address = rental.listing @ MarketError::WrongListing)]
    pub listing: Account<Listing>,
    #[account(constraint = address_eq(&payment_mint.mint, &rental.mint) @ MarketError::WrongMint)]
    pub payment_mint: Account<PaymentMint>,
    #[account(mut, constraint = vault.holds(&rental) @ MarketError::WrongVault)]
    pub vault: Account<Vault>,
    #[account(mut, address = vault.token_account @ MarketError::WrongVault)]
    pub vault_token: UncheckedAccount,
    #[account(mut)]
    pub renter_token: UncheckedAccount,
    #[account(init, payer = renter, seeds = [b"meter", rental.address().as_ref()], bump)]
    pub meter: Account<Meter>,
    /// The price update that a mint priced by Pyth needs.
    pub price_feed: Option<UncheckedAccount>,
    pub token_program: Program<Token>,
    pub system_program: Program<System>,
}

/// `cap` base units of the rental's mint bound the charges; `agreed` are the highest unit prices that the renter takes.
pub fn open_meter(ctx: &mut Context<OpenMeter>, cap: u64, storage_gb: u32, agreed: Charges) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let now = Clock::get()?.unix_timestamp;
    let (market, rental, listing) = (&accounts.market, &mut accounts.rental, &accounts.listing);
    market.require_running(PauseArea::Orders, now)?;
    rental.require_renter(accounts.renter.address())?;
    rental.require_live()?;
    let is_over = rental.is(RentalState::Running) && now >= rental.paid_until();
    require!(!is_over, MarketError::RentalExpired);
    require!(cap > 0, MarketError::ZeroAmount);
    let charges = listing.charges();
    require!(!charges.are_none(), MarketError::NoCharges);
    require!(charges.are_within(&agreed), MarketError::ChargesAboveAgreed);
    let mint = &accounts.payment_mint;
    let token_price = mint.fresh_price(now, accounts.price_feed.as_ref().map(|feed| feed.account()))?;
    let balance = token::balance_of(accounts.renter_token.account(), &rental.mint, &rental.renter)?;
    require!(balance >= cap, MarketError::InsufficientFunds);

    let meter = &mut accounts.meter;
    meter.open(rental, listing, token_price, mint.decimals, now)?;
    meter.bump = ctx.bumps.meter;
    meter.rental = *rental.address();
    meter.cap = cap;
    meter.storage_gb = storage_gb;
    meter.charge_window = market.charge_window;
    rental.has_meter = 1;
    accounts.vault.hold(cap)?;
    let (seq, vault_seq) = (meter.next_seq(), accounts.vault.next_seq());
    token::transfer(
        accounts.renter_token.account(),
        accounts.vault_token.account(),
        accounts.renter.account(),
        cap,
        &[],
    );
    let event = MeterOpened {
        meter: *meter.address(),
        rental: meter.rental,
        renter: meter.renter,
        listing: meter.listing,
        authority: meter.authority,
        mint: meter.mint,
        shard: meter.shard[0],
        cap,
        charges,
        bandwidth_rate: meter.bandwidth_rate,
        storage_rate: meter.storage_rate,
        storage_gb,
        charge_window: meter.charge_window,
        at: now,
        seq,
        vault_seq,
        paid_until: meter.paid_until,
        rental_seq: rental.next_seq(),
    };
    emit_event!(ctx, event)
}
