use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct MarkSilent {
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut)]
    pub listing: Account<Listing>,
}

/// Anyone, once a listing's last heartbeat is older than the market, or its rental, allows: its host has the answer
/// window to be heard from. Without an answer a second call proves the silence; endings of its rental need none.
pub fn mark_silent(ctx: &mut Context<MarkSilent>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let now = Moment::now()?;
    let listing = &mut accounts.listing;
    let silence = listing.mark(&accounts.market, &now)?;
    let event = ListingMarked {
        listing: *listing.address(),
        host: listing.host,
        silence,
        last_heartbeat_at: listing.last_heartbeat_at,
        answer_by: listing.answer_by(),
        answer_slot: listing.answer_slot,
        at: now.at,
        seq: listing.next_seq(),
    };
    emit_event!(ctx, event)
}
