use crate::*;
use pinocchio::cpi::Signer as PdaSigner;

#[event_cpi]
#[derive(Accounts)]
pub struct SettleRental {
    #[account(mut)]
    pub rental: Account<Rental>,
    #[account(address = rental.listing @ MarketError::WrongListing)]
    pub listing: Account<Listing>,
    #[account(mut, constraint = vault.holds(&rental) @ MarketError::WrongVault)]
    pub vault: Account<Vault>,
    #[account(mut, address = vault.token_account @ MarketError::WrongVault)]
    pub vault_token: UncheckedAccount,
    #[account(mut)]
    pub host_token: UncheckedAccount,
    pub token_program: Program<Token>,
}

/// Pays the host for the time it has shown to be up, less the holdback. With nothing new to pay it changes nothing.
pub fn settle_rental(ctx: &mut Context<SettleRental>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let now = Clock::get()?.unix_timestamp;
    let rental = &mut accounts.rental;
    rental.require_state(RentalState::Running)?;
    let used = rental.used_at(now.min(accounts.listing.last_heartbeat_at));
    let paid_total = rental.payable_floor(used)?;
    let before = rental.payable_floor(rental.settled)?;
    if used <= rental.settled || paid_total <= before {
        return Ok(());
    }
    let paid = math::sub(paid_total, before)?;
    token::balance_of(accounts.host_token.account(), &rental.mint, &accounts.listing.authority)?;
    rental.settled = used;
    let seq = rental.next_seq();
    let vault = &mut accounts.vault;
    vault.pay(paid)?;
    let vault_seq = vault.next_seq();
    let (bump, view) = ([vault.bump], *vault.account());
    let seeds = vault.seeds(&bump);
    let signers = [PdaSigner::from(&seeds)];
    token::transfer(accounts.vault_token.account(), accounts.host_token.account(), &view, paid, &signers);
    let event = RentalSettled {
        rental: *rental.address(),
        listing: rental.listing,
        paid,
        paid_total,
        settled: used,
        at: now,
        seq,
        vault_seq,
    };
    emit_event!(ctx, event)
}
