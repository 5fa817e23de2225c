use crate::*;

// And the rental that takes over, and what it compensates the holder from and into.
ending_accounts!(Preempt(listing) {
    /// Waits for the machine.
    #[account(mut, address = listing.challenger @ MarketError::WrongChallenger)]
    pub challenger: Account<Rental>,
    /// None if it is `vault`.
    #[account(mut)]
    pub challenger_vault: Option<Account<Vault>>,
    /// None if it is `vault_token`.
    #[account(mut)]
    pub challenger_vault_token: Option<UncheckedAccount>,
    /// For the compensation, as `renter_payout` is for the refund; None, and that one is used, if the vault is `vault`.
    #[account(unsafe(dup))]
    pub compensation_payout: Option<UncheckedAccount>,
});

/// Anyone, once the holder's grace is over: the holder pays for the seconds used and is compensated out of the escrow of
/// the order that waits, which takes the machine, or waits on until the host has claimed what it could not be paid. A
/// holder whose paid time has ended, or whose host has gone silent or is late to start, ends by the instruction for that. `payout_bump` is that
/// of the holder's associated account for the refund: a wrong one only costs compute units.
pub fn preempt(ctx: &mut Context<Preempt>, payout_bump: u8) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let now = Clock::get()?.unix_timestamp;
    let (rental, listing) = (&accounts.rental, &mut accounts.listing);
    require!(now >= listing.preempt_at, MarketError::GraceNotOver);
    if rental.is(RentalState::Running) {
        require!(now < rental.paid_until(), MarketError::RentalExpired);
    } else {
        require!(now <= rental.start_by(), MarketError::ProvisioningOverdue);
    }
    listing.require_heard(now, rental.offline_after)?;
    let (used, reason) = (rental.owed_at(now), CloseReason::Preempted);
    listing.vacate(rental.address(), rental, reason, now)?;
    let amount = accounts.challenger.compensation()?;
    let is_apart = accounts.challenger_vault.is_some();
    let besides = if is_apart { 0 } else { amount };
    let divided = divide!(ctx, accounts, used, now, reason, besides, payout_bump)?;
    let compensation = if is_apart { pay_apart(accounts, amount)? } else { book_besides(accounts, amount, &divided)? };
    let preempted = *accounts.rental.address();
    release(&mut accounts.rental, divided.tip, accounts.caller.account(), accounts.renter.account())?;

    if accounts.listing.owed == 0 {
        let took_over = take_machine(accounts, preempted, compensation, now)?;
        return emit_event!(ctx, took_over);
    }
    if compensation.amount == 0 {
        return Ok(());
    }
    let compensated = wait_on(accounts, preempted, compensation, now);
    emit_event!(ctx, compensated)
}

/// The challenger takes the machine, and its host's time to start begins.
fn take_machine(
    accounts: &mut Preempt,
    preempted: Address,
    compensation: Compensation,
    now: i64,
) -> Result<RentalTookOver> {
    let (listing, challenger) = (&mut accounts.listing, &mut accounts.challenger);
    listing.hand_over(challenger.address(), challenger.offline_after, &accounts.market, now)?;
    challenger.take_over(now);
    Ok(RentalTookOver {
        listing: *listing.address(),
        rental: *challenger.address(),
        preempted,
        start_by: challenger.start_by(),
        at: now,
        seq: challenger.next_seq(),
        listing_seq: listing.next_seq(),
        mint: challenger.mint,
        compensation: compensation.amount,
        compensation_kept: compensation.kept,
        vault_seq: compensation.vault_seq,
    })
}

/// The challenger has compensated the holder, and waits until the host has claimed what it is owed.
fn wait_on(accounts: &mut Preempt, preempted: Address, compensation: Compensation, now: i64) -> HolderCompensated {
    let challenger = &mut accounts.challenger;
    HolderCompensated {
        rental: *challenger.address(),
        listing: *accounts.listing.address(),
        preempted,
        mint: challenger.mint,
        compensation: compensation.amount,
        compensation_kept: compensation.kept,
        at: now,
        seq: challenger.next_seq(),
        vault_seq: compensation.vault_seq,
    }
}

/// The compensation out of the vault that has paid the refund with it.
fn book_besides(accounts: &mut Preempt, amount: u64, divided: &Divided) -> Result<Compensation> {
    let (vault, challenger) = (&mut accounts.vault, &mut accounts.challenger);
    let is_lone = accounts.challenger_vault_token.is_none() && accounts.compensation_payout.is_none();
    require!(is_lone && vault.holds(challenger), MarketError::WrongVault);
    Compensation::book(challenger, vault, amount, divided.renter_is_paid)
}

/// The compensation out of a vault of its own.
fn pay_apart(accounts: &mut Preempt, amount: u64) -> Result<Compensation> {
    let rental = &accounts.rental;
    let apart = Apart {
        vault: accounts.challenger_vault.as_mut(),
        vault_token: accounts.challenger_vault_token.as_ref(),
        payout: accounts.compensation_payout.as_ref(),
        holder: &rental.renter,
        caller: accounts.caller.address(),
        lamports: if rental.has_ended() { 0 } else { rental.account().lamports() },
    };
    apart.pay(&mut accounts.challenger, amount)
}
