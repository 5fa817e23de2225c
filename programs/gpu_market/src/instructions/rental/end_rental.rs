use crate::*;

/// Accounts of an instruction that ends a rental, and those that it has besides. The caller takes the tip, unless
/// it is the host that gave up; the renter takes the rent. The listing is named where the macro is used, so that the
/// constraints there can speak of it.
macro_rules! ending_accounts {
    ($name:ident($listing:ident) { $($besides:tt)* }) => {
        #[event_cpi]
        #[derive(Accounts)]
        pub struct $name {
            /// May be the renter: both only receive lamports.
            #[account(unsafe(dup))]
            pub caller: Signer,
            #[account(seeds = [b"market"], bump)]
            pub market: Account<Market>,
            #[account(mut)]
            pub rental: Account<Rental>,
            #[account(mut, address = rental.listing @ MarketError::WrongListing)]
            pub $listing: Account<Listing>,
            #[account(unsafe(dup), address = rental.renter @ MarketError::WrongRenter)]
            pub renter: UncheckedAccount,
            #[account(mut, constraint = address_eq(&renter_profile.wallet, &rental.renter) @ MarketError::WrongRenter)]
            pub renter_profile: Account<RenterProfile>,
            #[account(mut, constraint = vault.holds(&rental) @ MarketError::WrongVault)]
            pub vault: Account<Vault>,
            #[account(mut, address = vault.token_account @ MarketError::WrongVault)]
            pub vault_token: UncheckedAccount,
            /// For a refund: the renter's wallet for SOL, else their token account, the associated one unless they sign.
            #[account(unsafe(dup))]
            pub renter_payout: UncheckedAccount,
            /// For a payment: the host's wallet for SOL, else their token account, the associated one unless they sign.
            #[account(unsafe(dup))]
            pub host_payout: UncheckedAccount,
            /// The market token's mint, when there is a burn.
            #[account(unsafe(dup))]
            pub mint: Option<UncheckedAccount>,
            /// The rental's, if it has one.
            #[account(unsafe(dup))]
            pub meter: Option<UncheckedAccount>,
            /// The listing's, if the rental has drawn on its subsidy budget of today and has not earned all of it.
            #[account(unsafe(dup))]
            pub host: Option<UncheckedAccount>,
            $($besides)*
            pub token_program: Program<Token>,
        }
    };
}

pub(crate) use ending_accounts;

ending_accounts!(EndRental(listing) {});

/// Seconds used until the host was last heard from, and no fewer than it has been paid for.
pub fn used_until_silence(rental: &Rental, listing: &Listing) -> u32 {
    rental.owed_at(listing.last_heartbeat_at)
}

/// Divides the escrow after `used` seconds, frees the listing and gives the renter the rent and the caller the tip.
pub fn close(ctx: &mut Context<EndRental>, used: u32, now: i64, reason: CloseReason) -> Result<()> {
    let accounts = &mut ctx.accounts;
    accounts.listing.vacate(accounts.rental.address(), &accounts.rental, reason, now)?;
    if reason == CloseReason::HostOffline {
        accounts.listing.prove_silence();
    }
    let tip = divide!(ctx, accounts, used, now, reason, 0, u8::MAX)?.tip;
    release(&mut accounts.rental, tip, accounts.caller.account(), accounts.renter.account())
}
