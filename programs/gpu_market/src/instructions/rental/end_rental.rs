use crate::*;

/// The accounts of every instruction that ends a rental. The caller takes the tip, unless
/// it is the host that gave up; the renter takes the rent.
#[event_cpi]
#[derive(Accounts)]
pub struct EndRental {
    /// May be the renter: both only receive lamports.
    #[account(unsafe(dup))]
    pub caller: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut)]
    pub rental: Account<Rental>,
    #[account(mut, address = rental.listing @ MarketError::WrongListing)]
    pub listing: Account<Listing>,
    #[account(unsafe(dup), address = rental.renter @ MarketError::WrongRenter)]
    pub renter: UncheckedAccount,
    #[account(mut, constraint = address_eq(&renter_profile.wallet, &rental.renter) @ MarketError::WrongRenter)]
    pub renter_profile: Account<RenterProfile>,
    #[account(mut, constraint = vault.holds(&rental) @ MarketError::WrongVault)]
    pub vault: Account<Vault>,
    #[account(mut, address = vault.token_account @ MarketError::WrongVault)]
    pub vault_token: UncheckedAccount,
    /// Any token account of the renter; looked at only when there is a refund.
    #[account(mut)]
    pub renter_token: UncheckedAccount,
    /// Any token account of the host; looked at only when there is a payment.
    #[account(mut)]
    pub host_token: UncheckedAccount,
    /// The market token's mint, when there is a burn.
    #[account(mut)]
    pub mint: Option<UncheckedAccount>,
    pub token_program: Program<Token>,
}

impl CloseReason {
    /// Whether the host itself ended the rental.
    pub const fn given_by_host(self) -> bool {
        matches!(self, Self::HostFault | Self::HostMaintenance | Self::OrderRefused)
    }

    /// Whether the renter keeps the tip: whoever ended the rental did so in their own interest.
    pub const fn forfeits_tip(self) -> bool {
        self.given_by_host() || matches!(self, Self::Outbid)
    }

    /// Whether the holdback goes to the renter and the listing counts a failure.
    pub const fn host_at_fault(self) -> bool {
        self.given_by_host() || matches!(self, Self::ProvisionTimeout | Self::HostOffline)
    }

    /// Whether the listing counts a rental that ended well after `used` seconds: its paid time ran out, or it was cut
    /// short and had run for `least` seconds, as a rating takes. Otherwise a host could count rentals of a moment.
    pub const fn is_completion(self, used: u32, least: u32) -> bool {
        match self {
            Self::Expired => true,
            Self::Stopped | Self::Preempted => used >= least,
            _ => false,
        }
    }
}

/// Seconds used until the host was last heard from, and no fewer than it has been paid for.
pub fn used_until_silence(rental: &Rental, listing: &Listing) -> u32 {
    rental.used_at(listing.last_heartbeat_at).max(rental.settled)
}

/// Divides the escrow after `used` seconds, frees the listing and gives the renter the rent and the caller the tip.
pub fn close(ctx: &mut Context<EndRental>, used: u32, now: i64, reason: CloseReason) -> Result<()> {
    let accounts = &mut ctx.accounts;
    accounts.listing.vacate(accounts.rental.address(), now)?;
    let tip = divide!(ctx, accounts, used, now, reason)?;
    release(&mut accounts.rental, tip, accounts.caller.account(), accounts.renter.account())
}
