use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct ExtendRental {
    pub renter: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut)]
    pub rental: Account<Rental>,
    #[account(constraint = address_eq(&payment_mint.mint, &rental.mint) @ MarketError::WrongMint)]
    pub payment_mint: Account<PaymentMint>,
    #[account(address = rental.listing @ MarketError::WrongListing)]
    pub listing: Account<Listing>,
    #[account(mut, address = listing.host @ MarketError::WrongHost)]
    pub host: Account<Host>,
    #[account(mut, constraint = vault.holds(&rental) @ MarketError::WrongVault)]
    pub vault: Account<Vault>,
    #[account(mut, address = vault.token_account @ MarketError::WrongVault)]
    pub vault_token: UncheckedAccount,
    #[account(mut)]
    pub renter_token: UncheckedAccount,
    /// The price update that a mint priced by Pyth needs.
    pub price_feed: Option<UncheckedAccount>,
    pub token_program: Program<Token>,
}

/// Buys `seconds` more than `old_duration`, which makes sending the same twice harmless, at the rates the rental opened
/// with; a reserved rental grows by whole terms. The mint must be open and its price fresh, and the rental's price must still come to about those rates: else it is for a new rental. What
/// the listing asks by now plays no part.
pub fn extend_rental(ctx: &mut Context<ExtendRental>, old_duration: u32, seconds: u32, max_deposit: u64) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let now = Clock::get()?.unix_timestamp;
    accounts.market.require_running(PauseArea::Orders, now)?;
    let rental = &mut accounts.rental;
    rental.require_renter(accounts.renter.address())?;
    rental.require_state(RentalState::Running)?;
    require!(now < rental.paid_until(), MarketError::RentalExpired);
    require!(!accounts.listing.is_take_over_due(now), MarketError::RentalChallenged);
    require!(accounts.host.approved != 0, MarketError::HostNotApproved);
    accounts.listing.require_heard(now, rental.offline_after)?;
    require!(seconds > 0, MarketError::DurationTooShort);
    require!(!rental.is_reserved() || RentalKind::Reserved.is_valid_term(seconds), MarketError::InvalidReservedTerm);
    require!(rental.duration == old_duration, MarketError::AlreadyExtended);
    let duration = old_duration.checked_add(seconds).ok_or(MarketError::DurationTooLong)?;
    let longest = accounts.listing.mrl_seconds.min(accounts.market.max_duration);
    require!(duration <= longest, MarketError::DurationTooLong);
    let mint = &accounts.payment_mint;
    rental.require_subsidised_for(&accounts.market, duration)?;
    rental.require_discounted_for(&accounts.market, duration)?;
    let token_price = mint.fresh_price(now, accounts.price_feed.as_ref().map(|feed| feed.account()))?;
    rental.require_repriced_within(mint, &accounts.listing, token_price, accounts.market.extend_tolerance_bps)?;

    let deposit = math::sub(rental.spent_ceil(duration)?, rental.spent_ceil(old_duration)?)?;
    let subsidy = math::sub(rental.subsidy_ceil(duration)?, rental.subsidy_ceil(old_duration)?)?;
    require!(deposit <= max_deposit, MarketError::CostAboveMaximum);
    let balance = token::balance_of(accounts.renter_token.account(), &rental.mint, accounts.renter.address())?;
    require!(balance >= deposit, MarketError::InsufficientFunds);
    if subsidy > 0 {
        let left = accounts.vault.subsidy_left(&accounts.market, now)?;
        require!(subsidy <= left, MarketError::SubsidyShareSpent);
    }
    accounts.vault.escrow(deposit, subsidy, now)?;
    let vault_seq = accounts.vault.next_seq();
    let (host, mut host_booked, mut host_seq) = (&mut accounts.host, 0, 0);
    if subsidy > 0 {
        let booked = rental.subsidy_to_book(duration, subsidy, accounts.listing.last_heartbeat_at, now)?;
        host.book_subsidy(booked, now)?;
        rental.subsidy_day = host.subsidy_day;
        (host_booked, host_seq) = (host.subsidy_booked, host.next_seq());
    }
    rental.duration = duration;
    rental.deposit = math::add(rental.deposit, deposit)?;
    let seq = rental.next_seq();
    token::transfer(
        accounts.renter_token.account(),
        accounts.vault_token.account(),
        accounts.renter.account(),
        deposit,
        &[],
    );
    let event = RentalExtended {
        rental: *rental.address(),
        old_duration,
        new_duration: duration,
        deposit_added: deposit,
        subsidy_added: subsidy,
        paid_until: rental.paid_until(),
        at: now,
        seq,
        vault_seq,
        host: *host.address(),
        host_booked,
        host_seq,
    };
    emit_event!(ctx, event)
}
