use crate::emit_event;
use crate::errors::MarketError;
use crate::events::RentalRated;
use crate::state::{Listing, Rental, RentalState};
use anchor_lang::prelude::*;

#[event_cpi]
#[derive(Accounts)]
pub struct RateRental {
    pub renter: Signer,
    #[account(mut)]
    pub rental: Account<Rental>,
    #[account(mut, address = rental.listing @ MarketError::WrongListing)]
    pub listing: Account<Listing>,
}

/// Once, 1 to 5, while the rental runs; weighs what has been used so far in micro-USD.
pub fn rate_rental(ctx: &mut Context<RateRental>, rating: u8) -> Result<()> {
    require!((1..=5).contains(&rating), MarketError::InvalidRating);
    let accounts = &mut ctx.accounts;
    let (rental, listing) = (&mut accounts.rental, &mut accounts.listing);
    rental.require_renter(accounts.renter.address())?;
    rental.require_state(RentalState::Running)?;
    require!(rental.rating == 0, MarketError::AlreadyRated);
    let at = Clock::get()?.unix_timestamp;
    let weight = rental.used_usd_floor(rental.used_at(at))?;
    require!(weight > 0, MarketError::WrongRentalState);
    rental.rating = rating;
    listing.rating_sum = listing.rating_sum.saturating_add(weight.saturating_mul(rating.into()));
    listing.rating_weight = listing.rating_weight.saturating_add(weight);
    let (seq, listing_seq) = (rental.next_seq(), listing.next_seq());
    let event =
        RentalRated { rental: *rental.address(), listing: *listing.address(), rating, weight, at, seq, listing_seq };
    emit_event!(ctx, event);
    Ok(())
}
