use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct StartRental {
    pub operator: Signer,
    #[account(mut)]
    pub rental: Account<Rental>,
    #[account(address = rental.listing @ MarketError::WrongListing)]
    pub listing: Account<Listing>,
}

/// The machine is up: the meter starts. Refused once the time to provision has passed, when anyone may cancel. Whoever has
/// matched the rental's request, the first of the remaining accounts, is paid now.
pub fn start_rental(ctx: &mut Context<StartRental>) -> Result<()> {
    let others = if ctx.accounts.rental.owes_matcher() { ctx.remaining_accounts()? } else { Default::default() };
    let accounts = &mut ctx.accounts;
    accounts.listing.require_operator(accounts.operator.address())?;
    let at = Clock::get()?.unix_timestamp;
    accounts.listing.require_heard(at, accounts.rental.offline_after)?;
    let rental = &mut accounts.rental;
    rental.require_state(RentalState::Provisioning)?;
    require!(at <= rental.start_by(), MarketError::ProvisioningOverdue);
    rental.state = RentalState::Running as u8;
    rental.started_at = at;
    let (matched_by, match_tip) = if rental.owes_matcher() {
        let matcher = accounts.listing.matcher;
        (matcher, pay_matcher(rental, &matcher, others.first())?)
    } else {
        Default::default()
    };
    let event = RentalStarted {
        rental: *rental.address(),
        listing: rental.listing,
        at,
        paid_until: rental.paid_until(),
        seq: rental.next_seq(),
        matched_by,
        match_tip,
    };
    emit_flat_event!(ctx, event)
}

/// The matcher's tip, which was kept until the rental starts; gives how much that is. One who has emptied their wallet, or
/// made a program of it, holds nobody up: the tip stays, and is the renter's with the rent.
fn pay_matcher(rental: &mut Account<Rental>, matcher: &Address, wallet: Option<&AccountView>) -> Result<u32> {
    let wallet = wallet.filter(|wallet| address_eq(wallet.address(), matcher));
    let wallet = wallet.ok_or(MarketError::WrongMatcher)?;
    rental.is_matched = 0;
    if wallet.executable() {
        return Ok(0);
    }
    require!(wallet.is_writable(), MarketError::WrongMatcher);
    let tip = rental.tip_lamports;
    if !stands_with(wallet, tip.into())? {
        return Ok(0);
    }
    give_tip(rental.account(), tip, wallet)?;
    Ok(tip)
}
