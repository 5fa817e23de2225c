use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct RateRental {
    pub renter: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut)]
    pub rental: Account<Rental>,
    #[account(mut, address = rental.listing @ MarketError::WrongListing)]
    pub listing: Account<Listing>,
}

/// Once, 1 to 5, after the rental has run for a while: while it runs, and once it has finished until it can no longer be
/// contested. Weighs what the renter has paid so far.
pub fn rate_rental(ctx: &mut Context<RateRental>, rating: u8) -> Result<()> {
    require!((1..=5).contains(&rating), MarketError::InvalidRating);
    let accounts = &mut ctx.accounts;
    let (rental, listing) = (&mut accounts.rental, &mut accounts.listing);
    rental.require_renter(accounts.renter.address())?;
    require!(rental.rating == 0, MarketError::AlreadyRated);
    let at = Clock::get()?.unix_timestamp;
    let used = rental.rateable_seconds(at)?;
    let weight = rental.paid_usd_floor(used)?;
    require!(used >= accounts.market.min_rated_seconds && weight > 0, MarketError::RatedTooSoon);
    rental.rating = rating;
    listing.rating_sum = listing.rating_sum.saturating_add(weight.saturating_mul(rating.into()));
    listing.rating_weight = listing.rating_weight.saturating_add(weight);
    let (seq, listing_seq) = (rental.next_seq(), listing.next_seq());
    let event =
        RentalRated { rental: *rental.address(), listing: *listing.address(), rating, weight, at, seq, listing_seq };
    emit_event!(ctx, event)
}
