use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct UpdateReputation {
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut)]
    pub host: Account<Host>,
}

/// The remaining accounts are listings of the host, writable: what they have counted moves to the host at any time. Once
/// the interval is over, the first listing brought fixes the round: all that are open then. When they have been brought, in
/// any number of calls, the host is scored; one created since is passed over until then. With nothing to move and no score
/// due it changes nothing.
pub fn update_reputation(ctx: &mut Context<UpdateReputation>) -> Result<()> {
    let views = ctx.remaining_accounts()?;
    let accounts = &mut ctx.accounts;
    let at = Clock::get()?.unix_timestamp;
    let host = &mut accounts.host;
    let address = *host.address();
    let is_due = host.is_score_due(accounts.market.reputation_interval, at);
    let mut listings = Vec::with_capacity(views.len());
    for view in views {
        require!(view.is_writable(), ErrorCode::ConstraintMut);
        require!(!view.is_borrowed(), ErrorCode::ConstraintDuplicateMutableAccount);
        // SAFETY: the account is not borrowed, so this is the only reference to its data, and it ends with the turn.
        let mut listing = unsafe { Account::<Listing>::load_mut(view)? };
        require!(address_eq(&listing.host, &address), MarketError::WrongHost);
        listings.extend(count_listing(host, &mut listing, is_due));
    }
    if !listings.is_empty() {
        let event = host_counted(&address, host, listings, at);
        emit_event!(ctx, event)?;
    }
    let host = &mut ctx.accounts.host;
    if !is_due || !host.is_round_complete() {
        return Ok(());
    }
    let prior_usd = ctx.accounts.market.reputation_prior_usd;
    let old = host.set_score(prior_usd, at)?;
    let event = HostScored {
        host: address,
        old,
        new: host.score,
        round: host.score_round,
        tracked_seconds: host.tracked_seconds,
        up_seconds: host.up_seconds,
        rating_sum: host.rating_sum,
        rating_weight: host.rating_weight,
        completed: host.completed,
        failed: host.failed,
        paid_usd: host.paid_usd,
        prior_usd,
        not_as_listed_usd: host.not_as_listed_usd,
        at,
        seq: host.next_seq(),
    };
    emit_event!(ctx, event)
}

/// Moves what `listing` has counted to its host, for the next score when that is due. None when nothing changes.
pub fn count_listing(host: &mut Host, listing: &mut Listing, is_due: bool) -> Option<ListingCount> {
    let joins = is_due && host.join_round(listing);
    if is_due && host.is_after_round(listing) {
        return None;
    }
    let counts = listing.take_counts();
    if counts == Default::default() && !joins {
        return None;
    }
    host.count(&counts);
    Some(ListingCount {
        rating_sum: counts.rating_sum,
        rating_weight: counts.rating_weight,
        paid_usd: counts.paid_usd,
        seq: listing.next_seq(),
        id: listing.id,
        completed: counts.completed,
        failed: counts.failed,
        score_round: listing.score_round,
        refused: counts.refused,
        reserved: 0,
    })
}

/// The event of listings that have been counted.
pub fn host_counted(address: &Address, host: &mut Host, listings: Vec<ListingCount>, at: i64) -> HostCounted {
    HostCounted {
        host: *address,
        at,
        rating_sum: host.rating_sum,
        rating_weight: host.rating_weight,
        paid_usd: host.paid_usd,
        completed: host.completed,
        failed: host.failed,
        refused: host.refused,
        seq: host.next_seq(),
        listings,
    }
}
