use crate::*;

/// The renter withdraws at any time; deposit, rent and tips are theirs.
pub fn cancel_request(ctx: &mut Context<EndRequest>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    accounts.request.require_renter(accounts.caller.address())?;
    let at = Clock::get()?.unix_timestamp;
    let ended = refund(accounts, 0)?;
    let event = RequestCancelled {
        request: ended.request,
        renter: ended.renter,
        mint: ended.mint,
        refunded: ended.refunded,
        at,
        seq: ended.seq,
        vault_seq: ended.vault_seq,
    };
    emit_event!(ctx, event)
}
