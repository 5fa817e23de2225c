use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct WithdrawChallenger {
    /// May be the renter: both only receive lamports.
    #[account(unsafe(dup))]
    pub caller: Signer,
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
    /// The renter's wallet for SOL, else their token account, the associated one unless they sign.
    #[account(unsafe(dup))]
    pub renter_payout: UncheckedAccount,
    /// Holds the machine, if the renter withdraws and somebody does.
    pub holder: Option<Account<Rental>>,
    /// Needed when the renter withdraws from a machine that is held, or whose last holder's rental the host has ended: the
    /// wallet of its renter for SOL, else their associated token account.
    #[account(mut)]
    pub holder_payout: Option<UncheckedAccount>,
    /// The rental's, if it has one.
    #[account(unsafe(dup))]
    pub meter: Option<UncheckedAccount>,
    /// The listing's, if the order has drawn on its subsidy budget of today.
    #[account(unsafe(dup))]
    pub host: Option<UncheckedAccount>,
    pub token_program: Program<Token>,
}

/// The renter of the order that waits for a machine, from the next second on until it takes over, unless it is bound: it
/// has outbid another or came soon after a withdrawal, and somebody holds the machine; or the machine is free
/// and its host is heard from. Anyone, and a bound order's renter too, once it has waited for longer after the holder's
/// grace than a host may take to start, whatever keeps the machine from it, such as a host that cannot take what it is
/// owed. Everything goes back, but for what a renter who leaves pays whoever holds the machine, or held it until the
/// host ended their rental. What the order has waited is taken off the holder's grace.
pub fn withdraw_challenger(ctx: &mut Context<WithdrawChallenger>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let now = Clock::get()?.unix_timestamp;
    let (rental, listing) = (&mut accounts.rental, &mut accounts.listing);
    let departed = listing.departed();
    let mut compensated = None;
    let reason = if address_eq(&rental.renter, accounts.caller.address()) {
        listing.withdraw_challenger(rental, now)?;
        let holder = accounts.holder.as_ref();
        let is_holder = holder.map_or(listing.is_idle(), |holder| address_eq(&listing.current, holder.address()));
        require!(is_holder, MarketError::WrongHolder);
        let wallet = holder.map(|holder| &holder.renter).or(departed.as_ref().map(|(_, renter)| renter));
        if let Some(wallet) = wallet {
            let account = accounts.holder_payout.as_ref().ok_or(MarketError::InvalidTokenAccount)?;
            compensated = Some(Payee::new(wallet, account.account()));
        }
        CloseReason::Withdrawn
    } else {
        let overdue_at = listing.drop_challenger(rental.address())?.saturating_add(rental.provision_timeout.into());
        require!(now > overdue_at, MarketError::ChallengerInTime);
        CloseReason::TakeOverTimeout
    };
    listing.note_offer(now);
    let payout = Payout {
        rental,
        listing,
        renter_profile: &mut accounts.renter_profile,
        vault: &mut accounts.vault,
        vault_token: &accounts.vault_token,
        renter_payout: &accounts.renter_payout,
        renter_bump: u8::MAX,
        host_payout: None,
        mint: None,
        compensated,
        meter: accounts.meter.as_ref(),
        host: accounts.host.as_ref().map(|host| host.account()),
        besides: 0,
    };
    let ending = Ending {
        used: 0,
        now,
        reason,
        completed: false,
        closed_by: accounts.caller.address(),
        event_authority: accounts.event_authority.account(),
        event_bump: ctx.bumps.event_authority,
    };
    let divided = payout.divide(&ending)?;
    let (challenger, mint) = (*accounts.rental.address(), accounts.vault.mint);
    release(&mut accounts.rental, divided.tip, accounts.caller.account(), accounts.renter.account())?;
    let listing = &mut accounts.listing;
    let withdrawn = ChallengerWithdrawn {
        listing: *listing.address(),
        challenger,
        holder: departed.map_or(listing.current, |(rental, _)| rental),
        challenge_from: listing.challenge_from,
        at: now,
        listing_seq: listing.next_seq(),
        mint,
        compensation: divided.compensated,
    };
    emit_event!(ctx, withdrawn)
}
