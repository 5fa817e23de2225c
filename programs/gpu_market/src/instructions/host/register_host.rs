use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct RegisterHost {
    #[account(mut)]
    pub authority: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(init, payer = authority, seeds = [b"host", authority.address().as_ref()], bump)]
    pub host: Account<Host>,
    pub system_program: Program<System>,
}

pub fn register_host(ctx: &mut Context<RegisterHost>, seal_key: [u8; 32]) -> Result<()> {
    require!(seal_key != [0; 32], MarketError::InvalidSealKey);
    let accounts = &mut ctx.accounts;
    let at = Clock::get()?.unix_timestamp;
    accounts.market.require_running(PauseArea::Hosts, at)?;
    let authority = *accounts.authority.address();
    let host = &mut accounts.host;
    host.bump = ctx.bumps.host;
    host.stake = stake_address(&authority);
    host.authority = authority;
    host.seal_key = seal_key;
    host.registered_at = at;
    let seq = host.next_seq();
    let event = HostRegistered { host: *host.address(), authority, seal_key, at, seq };
    emit_event!(ctx, event)
}
