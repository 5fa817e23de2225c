use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct AdvanceEpoch {
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut)]
    pub pool: Account<StakePool>,
}

/// Passes every epoch boundary up to now. Before the first of them it changes nothing.
pub fn advance_epoch(ctx: &mut Context<AdvanceEpoch>) -> Result<()> {
    let now = Clock::get()?.unix_timestamp;
    if let Some(event) = pass_boundaries(&mut ctx.accounts.pool, &ctx.accounts.market, now)? {
        emit_event!(ctx, event)?;
    }
    Ok(())
}

/// Brings the pool up to `now`; gives the event when an epoch has ended.
pub fn pass_boundaries(pool: &mut Account<StakePool>, market: &Market, now: i64) -> Result<Option<EpochAdvanced>> {
    let old_epoch = pool.epoch;
    let Some(shared) = pool.advance(now, market.epoch_seconds)? else { return Ok(None) };
    Ok(Some(EpochAdvanced {
        pool: *pool.address(),
        old_epoch,
        epoch: pool.epoch,
        started_at: pool.epoch_started_at,
        ends_at: pool.epoch_ends_at,
        active: pool.active,
        shared,
        queued: pool.rewards.map(|stream| stream.queued),
        acc: pool.rewards.map(|stream| from_words(stream.acc)),
        next_acc: pool.rewards.map(|stream| from_words(stream.next_acc)),
        at: now,
        pool_seq: pool.next_seq(),
    }))
}
