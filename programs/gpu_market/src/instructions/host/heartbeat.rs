use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct Heartbeat {
    pub operator: Signer,
    #[account(mut)]
    pub host: Account<Host>,
}

/// The remaining accounts are listings of the host that are up, writable, and operated by the signer. One already heard
/// this second is passed over, and so is one that is silent under a rental, until that rental ends.
pub fn heartbeat(ctx: &mut Context<Heartbeat>) -> Result<()> {
    let views = ctx.remaining_accounts()?;
    require!(!views.is_empty(), MarketError::InvalidHeartbeat);
    let accounts = &mut ctx.accounts;
    let now = Moment::now()?;
    let (operator, host) = (accounts.operator.address(), &mut accounts.host);
    let host_address = *host.address();
    let mut listings = Vec::with_capacity(views.len());
    for view in views {
        require!(view.is_writable(), ErrorCode::ConstraintMut);
        require!(!view.is_borrowed(), MarketError::InvalidHeartbeat);
        // SAFETY: the account is not borrowed, so this is the only reference to its data, and it ends with the turn.
        let mut listing = unsafe { Account::<Listing>::load_mut(view)? };
        require!(address_eq(&listing.host, &host_address), MarketError::WrongHost);
        listing.require_operator(operator)?;
        let Some(tracked) = listing.heartbeat(&now) else {
            continue;
        };
        host.track(&tracked);
        listings.push(ListingBeat {
            tracked_seconds: listing.tracked_seconds,
            up_seconds: listing.up_seconds,
            seq: listing.next_seq(),
            id: listing.id,
            reserved: 0,
        });
    }
    if listings.is_empty() {
        return Ok(());
    }
    let seq = host.next_seq();
    let event = HostHeartbeat {
        host: host_address,
        at: now.at,
        tracked_seconds: host.tracked_seconds,
        up_seconds: host.up_seconds,
        seq,
        listings,
    };
    emit_event_here!(ctx, event)
}
