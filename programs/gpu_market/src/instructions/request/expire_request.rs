use crate::*;

/// No machine was found in time: the deposit goes back and the caller takes one tip.
pub fn expire_request(ctx: &mut Context<EndRequest>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let at = Clock::get()?.unix_timestamp;
    require!(accounts.request.is_over(at), MarketError::RequestNotExpired);
    let tip_lamports = accounts.request.tip_lamports;
    let ended = refund(accounts, tip_lamports)?;
    let event = RequestExpired {
        request: ended.request,
        renter: ended.renter,
        mint: ended.mint,
        refunded: ended.refunded,
        expired_by: *accounts.caller.address(),
        tip_lamports,
        at,
        seq: ended.seq,
        vault_seq: ended.vault_seq,
    };
    emit_event!(ctx, event)
}
