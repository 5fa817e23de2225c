use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct UpdateHost {
    pub authority: Signer,
    #[account(mut)]
    pub host: Account<Host>,
}

pub fn update_host(ctx: &mut Context<UpdateHost>, seal_key: [u8; 32]) -> Result<()> {
    require!(seal_key != [0; 32], MarketError::InvalidSealKey);
    let accounts = &mut ctx.accounts;
    let host = &mut accounts.host;
    host.require_authority(accounts.authority.address())?;
    let old_seal_key = core::mem::replace(&mut host.seal_key, seal_key);
    let seq = host.next_seq();
    let at = Clock::get()?.unix_timestamp;
    let event = HostUpdated { host: *host.address(), old_seal_key, new_seal_key: seal_key, at, seq };
    emit_event!(ctx, event)
}
