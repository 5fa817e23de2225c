use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct SetOperator {
    pub authority: Signer,
    #[account(mut)]
    pub listing: Account<Listing>,
}

/// Applies at once, to the rental that runs as well. Heartbeats name the listings of one operator.
pub fn set_operator(ctx: &mut Context<SetOperator>, operator: Address) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let listing = &mut accounts.listing;
    listing.require_authority(accounts.authority.address())?;
    let event = OperatorSet {
        listing: *listing.address(),
        host: listing.host,
        old: listing.set_operator(&operator)?,
        new: operator,
        at: Clock::get()?.unix_timestamp,
        seq: listing.next_seq(),
    };
    emit_event!(ctx, event)
}
