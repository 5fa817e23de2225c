//! The one money path of a rental that ends, whoever ends it and whatever becomes of its machine.

use crate::*;

/// The accounts that the escrow of an ending rental moves between.
pub struct Payout<'a> {
    pub rental: &'a mut Account<Rental>,
    pub listing: &'a mut Account<Listing>,
    pub renter_profile: &'a mut Account<RenterProfile>,
    pub vault: &'a mut Account<Vault>,
    pub vault_token: &'a UncheckedAccount,
    pub renter_payout: &'a UncheckedAccount,
    /// See [`Payee::bump`].
    pub renter_bump: u8,
    /// Needed only to pay for time used.
    pub host_payout: Option<&'a UncheckedAccount>,
    /// Needed only when there is a burn.
    pub mint: Option<&'a UncheckedAccount>,
    /// Holder of the machine that the rental has waited for, if its renter compensates them.
    pub compensated: Option<Payee<'a>>,
    /// The rental's, if it has one.
    pub meter: Option<&'a UncheckedAccount>,
    /// The listing's, needed only to give back what the rental has drawn on its subsidy budget of today.
    pub host: Option<&'a AccountView>,
    /// Base units that the renter gets with the refund: their compensation out of another rental's escrow in this vault.
    pub besides: u64,
}

/// Result of an ending: the tip to give, whether its renter was paid, if anything, and what a holder was paid as
/// compensation.
pub struct Divided {
    pub tip: u32,
    pub renter_is_paid: bool,
    pub compensated: u64,
}

/// Ending of a rental: after `used` seconds, at `now`, by whom, and whether its listing counts it as completed, if the
/// machine was as listed; its event goes out through `event_authority`.
pub struct Ending<'a> {
    pub used: u32,
    pub now: i64,
    pub reason: CloseReason,
    pub completed: bool,
    pub closed_by: &'a Address,
    pub event_authority: &'a AccountView,
    pub event_bump: u8,
}

/// The escrow of an ended rental, divided: what each party gets now, and what they are owed.
struct Shares {
    charged: u32,
    split: Split,
    /// The host's, with what was settled before.
    paid: u64,
    /// The whole that the pool had added.
    subsidy: u64,
    owed: Owed,
    to_host: u64,
    compensated: u64,
    to_renter: u64,
}

/// Facts that the books have of an ending, for its event.
struct Booked {
    vault_seq: u64,
    listing_seq: u64,
    completed: bool,
    host_booked: u64,
    host_seq: u64,
    paid_usd: u64,
}

/// [`Payout::divide`] between the accounts that `EndRental` and `Preempt` name alike.
macro_rules! divide {
    ($ctx:ident, $accounts:ident, $used:ident, $now:ident, $reason:ident, $besides:expr, $bump:expr) => {
        Payout {
            rental: &mut $accounts.rental,
            listing: &mut $accounts.listing,
            renter_profile: &mut $accounts.renter_profile,
            vault: &mut $accounts.vault,
            vault_token: &$accounts.vault_token,
            renter_payout: &$accounts.renter_payout,
            renter_bump: $bump,
            host_payout: Some(&$accounts.host_payout),
            mint: $accounts.mint.as_ref(),
            compensated: None,
            meter: $accounts.meter.as_ref(),
            host: $accounts.host.as_ref().map(|host| host.account()),
            besides: $besides,
        }
        .divide(&Ending {
            used: $used,
            now: $now,
            reason: $reason,
            completed: $reason.is_completion($used, $accounts.market.min_rated_seconds),
            closed_by: $accounts.caller.address(),
            event_authority: $accounts.event_authority.account(),
            event_bump: $ctx.bumps.event_authority,
        })
    };
}
pub(crate) use divide;

impl Payout<'_> {
    /// Divides the whole escrow, counts the ending, ends the meter, emits its event and gives the tip. A share whose payee
    /// cannot take it now is owed: the host's by its listing, the renter's by the rental. What becomes of the listing's
    /// places is the caller's, and so is [`release`].
    pub fn divide(mut self, ending: &Ending) -> Result<Divided> {
        if let Some(meter) = self.meter {
            end_meter(meter, self.rental, ending)?;
        } else {
            require!(self.rental.has_meter == 0, MarketError::MeterMissing);
        }
        if let Some(host) = self.host {
            require!(address_eq(host.address(), &self.listing.host), MarketError::WrongHost);
        }
        let shares = self.decide(ending)?;
        let booked = self.book(ending, &shares)?;
        self.pay(&shares)?;
        let tip = self.tell(ending, &shares, &booked);
        if shares.owed.renter > 0 {
            self.rental.owe(shares.owed.renter);
        }
        Ok(Divided { tip, renter_is_paid: shares.to_renter > 0, compensated: shares.compensated })
    }

    /// The shares of all parties, by the rental's terms and by which payees can take theirs now.
    #[inline(always)]
    fn decide(&self, ending: &Ending) -> Result<Shares> {
        let Self { rental, listing, .. } = self;
        let Ending { used, now, reason, .. } = *ending;
        let charged = rental.charged(reason, used, now)?;
        let mut split = rental.split(charged, reason.host_at_fault())?;
        let paid = math::add(split.paid, rental.payable_floor(rental.settled)?)?;
        let subsidy = rental.subsidy_ceil(rental.duration)?;

        let is_finished = reason == CloseReason::Finished;
        let from = self.vault_token.account();
        let due = |amount, lamports| Due { mint: &rental.mint, amount, from, caller: ending.closed_by, lamports };
        let mut owed = Owed { held: if is_finished { rental.holdback(charged)? } else { 0 }, ..Owed::default() };
        let to_host = math::sub(split.paid, owed.held)?;
        if to_host > 0 {
            let account = self.host_payout.ok_or(MarketError::InvalidTokenAccount)?.account();
            let payee = Payee::new(&listing.authority, account);
            owed.host = if payee.can_take(&due(to_host, 0))? { 0 } else { to_host };
        }
        let mut compensated = 0;
        if let Some(holder) = &self.compensated {
            let amount = rental.compensation()?;
            compensated = if amount > 0 && holder.can_take(&due(amount, 0))? { amount } else { 0 };
            split.compensate(amount, math::sub(amount, compensated)?)?;
        }
        let mut to_renter = math::add(split.refunded, self.besides)?;
        if to_renter > 0 {
            let account = self.renter_payout.account();
            let payee = Payee { wallet: &rental.renter, account, bump: self.renter_bump };
            // The rental's rent comes with it, unless its account stays.
            let rent = if is_finished { 0 } else { rental.account().lamports() };
            if !payee.can_take(&due(to_renter, rent))? {
                (owed.renter, to_renter) = (split.refunded, 0);
            }
        }
        Ok(Shares { charged, split, paid, subsidy, owed, to_host, compensated, to_renter })
    }

    /// Writes the shares into the vault's books, and the ending into the listing's and the renter's.
    #[inline(always)]
    fn book(&mut self, ending: &Ending, shares: &Shares) -> Result<Booked> {
        let Self { rental, listing, vault, .. } = self;
        let Ending { used, now, reason, .. } = *ending;
        vault.divide(rental.escrow()?, &shares.split, &shares.owed, now)?;
        let vault_seq = vault.next_seq();
        let completed = ending.completed && !rental.is_not_as_listed();
        if reason.host_at_fault() {
            listing.failed = listing.failed.saturating_add(1);
        } else if reason.is_refusal() {
            listing.refused = listing.refused.saturating_add(1);
        } else if completed {
            listing.completed = listing.completed.saturating_add(1);
        }
        let (host_booked, host_seq) = if shares.split.subsidy_returned > 0 && rental.draws_on(now) {
            return_to_budget(self.host, shares.split.subsidy_returned)?
        } else {
            (0, 0)
        };
        let listing_seq = listing.next_seq();
        let expired = reason == CloseReason::Expired;
        let paid_usd = rental.paid_usd_floor(used)?;
        listing.count_paid(paid_usd, rental.paid_usd_floor(rental.settled)?);
        self.renter_profile.finish_rental(listing.region, paid_usd, expired);
        if shares.owed.host > 0 {
            listing.owe(shares.owed.host, vault.address())?;
        }
        Ok(Booked { vault_seq, listing_seq, completed, host_booked, host_seq, paid_usd })
    }

    /// Sends the shares that can be taken now, and burns, in one call.
    #[inline(always)]
    fn pay(&self, shares: &Shares) -> Result<()> {
        let mint = &self.rental.mint;
        let mut outflow = token::Outflow::new(self.vault_token.account(), mint, self.vault.account());
        if let Some(host) = self.host_payout.filter(|_| shares.to_host > shares.owed.host) {
            outflow.pay(host.account(), shares.to_host);
        }
        outflow.pay(self.renter_payout.account(), shares.to_renter);
        if let Some(holder) = &self.compensated {
            outflow.pay(holder.account, shares.compensated);
        }
        if shares.split.burned > 0 {
            let burnt = self.mint.ok_or(MarketError::MintAccountMissing)?;
            require!(address_eq(burnt.address(), mint), MarketError::WrongMint);
            outflow.burn(burnt.account(), shares.split.burned);
        }
        send_from_vault(self.vault, &outflow);
        Ok(())
    }

    /// Emits the event of the ending; gives its tip.
    #[inline(always)]
    fn tell(&mut self, ending: &Ending, shares: &Shares, booked: &Booked) -> u32 {
        let rental = &mut *self.rental;
        let Shares { split, owed, .. } = shares;
        let reason = ending.reason;
        let tip = rental.tip_for(reason);
        RentalClosed {
            rental: *rental.address(),
            renter: rental.renter,
            listing: rental.listing,
            mint: rental.mint,
            reason,
            state: rental.current_state(),
            used: ending.used,
            charged: shares.charged,
            deposit: rental.deposit,
            subsidy: shares.subsidy,
            paid: shares.paid,
            paid_now: split.paid,
            fees: split.fees,
            burned: split.burned,
            refunded: split.refunded,
            subsidy_returned: split.subsidy_returned,
            closed_by: *ending.closed_by,
            tip_lamports: tip,
            at: ending.now,
            seq: rental.next_seq(),
            listing_seq: booked.listing_seq,
            vault_seq: booked.vault_seq,
            completed: booked.completed,
            host_owed: owed.host,
            renter_owed: owed.renter,
            compensation: split.compensation,
            compensation_kept: split.compensation_kept,
            held: owed.held,
            contest_by: if reason == CloseReason::Finished { rental.contest_by(shares.charged) } else { 0 },
            exit_code: rental.exit_code,
            paid_usd: booked.paid_usd,
            host: self.listing.host,
            host_booked: booked.host_booked,
            host_seq: booked.host_seq,
        }
        .emit(ending.event_authority, ending.event_bump);
        tip
    }
}

/// The budget of the listing's host has `amount` back; gives what is left booked, and the host's `seq`.
#[inline(never)]
fn return_to_budget(host: Option<&AccountView>, amount: u64) -> Result<(u64, u64)> {
    let host = host.ok_or(MarketError::HostMissing)?;
    // SAFETY: no ending reads another host, and `outbid`, which has loaded this one, holds no reference into it meanwhile.
    let mut host = unsafe { Account::<Host>::load_mut(*host)? };
    Ok(host.return_subsidy(amount))
}

/// The meter of a rental notes that it ends.
#[inline(never)]
fn end_meter(meter: &UncheckedAccount, rental: &Account<Rental>, ending: &Ending) -> Result<()> {
    // SAFETY: no ending reads another meter, and an account of another kind is refused.
    let mut meter = unsafe { Account::<Meter>::load_mut(*meter.account())? };
    meter.end(rental, ending.used, ending.now)?;
    let event = MeterEnded {
        meter: *meter.address(),
        rental: meter.rental,
        report_by: meter.report_by(),
        at: ending.now,
        seq: meter.next_seq(),
        paid_until: meter.paid_until,
    };
    emit(&event, ending.event_authority, ending.event_bump);
    Ok(())
}

/// The rental's account goes: `tip` lamports to the caller, all others to the renter. While it owes the renter something
/// it stays, and they with it.
pub fn release(rental: &mut Account<Rental>, tip: u32, caller: &AccountView, renter: &AccountView) -> Result<()> {
    give_tip(rental.account(), tip, caller)?;
    if rental.has_ended() {
        return Ok(());
    }
    rental.close(*renter)
}

/// `tip` lamports of a rental or request that ends go to the caller.
pub fn give_tip(ended: &AccountView, tip: u32, caller: &AccountView) -> Result<()> {
    let (mut from, mut to) = (*ended, *caller);
    from.set_lamports(math::sub(from.lamports(), tip.into())?);
    to.set_lamports(math::add(to.lamports(), tip.into())?);
    Ok(())
}
