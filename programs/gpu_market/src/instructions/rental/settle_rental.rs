use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct SettleRental {
    /// May be the host, or its operator.
    #[account(unsafe(dup))]
    pub caller: Signer,
    #[account(mut)]
    pub rental: Account<Rental>,
    #[account(mut, address = rental.listing @ MarketError::WrongListing)]
    pub listing: Account<Listing>,
    #[account(mut, constraint = vault.holds(&rental) @ MarketError::WrongVault)]
    pub vault: Account<Vault>,
    #[account(mut, address = vault.token_account @ MarketError::WrongVault)]
    pub vault_token: UncheckedAccount,
    /// The host's wallet for SOL, else their token account, the associated one unless they sign.
    #[account(unsafe(dup))]
    pub host_payout: UncheckedAccount,
    pub token_program: Program<Token>,
}

/// Pays the host for the time it has shown to be up, less the holdback, and counts what the renter has paid. Its operator's settlement shows it to be up,
/// as a heartbeat would. With nothing new to pay it changes nothing. `payout_bump` is that of the host's associated account: a
/// wrong one only costs compute units.
pub fn settle_rental(ctx: &mut Context<SettleRental>, payout_bump: u8) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let now = Moment::now()?;
    let rental = &mut accounts.rental;
    rental.require_state(RentalState::Running)?;
    let listing = &mut accounts.listing;
    let is_own = address_eq(&listing.operator, accounts.caller.address());
    let shown = is_own && !listing.is_silent(&now);
    let used = rental.used_at(if shown { now.at } else { now.at.min(listing.last_heartbeat_at) });
    let paid_total = rental.payable_floor(used)?;
    let before = rental.payable_floor(rental.settled)?;
    if used <= rental.settled || paid_total <= before {
        return Ok(());
    }
    let paid = math::sub(paid_total, before)?;
    let to = accounts.host_payout.account();
    let (from, caller) = (accounts.vault_token.account(), accounts.caller.address());
    let host = Payee { wallet: &listing.authority, account: to, bump: payout_bump };
    host.require_can_take(&Due { mint: &rental.mint, amount: paid, from, caller, lamports: 0 })?;
    let heard = shown && listing.hear(&now);
    let paid_usd = rental.paid_usd_floor(used)?;
    listing.count_paid(paid_usd, rental.paid_usd_floor(rental.settled)?);
    rental.settled = used;
    let seq = rental.next_seq();
    let vault = &mut accounts.vault;
    vault.pay(paid)?;
    let vault_seq = vault.next_seq();
    pay_from_vault(vault, &accounts.vault_token, to, paid);
    let event = RentalSettled {
        rental: *rental.address(),
        listing: rental.listing,
        paid,
        paid_total,
        settled: used,
        at: now.at,
        seq,
        vault_seq,
        listing_seq: listing.next_seq(),
        heard,
        paid_usd,
    };
    emit_flat_event!(ctx, event)
}
