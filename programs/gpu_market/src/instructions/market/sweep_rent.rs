use crate::*;
use pinocchio::sysvars::rent::Rent;
use pinocchio::sysvars::Sysvar;

#[event_cpi]
#[derive(Accounts)]
pub struct SweepRent {
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    /// Of the market, a host, a listing, a renter or a staker. May be `market`: only lamports move.
    #[account(mut, unsafe(dup))]
    pub account: UncheckedAccount,
    /// Owner of the account; the treasury for those of the market.
    #[account(mut)]
    pub owner: UncheckedAccount,
}

/// Accounts that end by themselves keep their lamports until then. What an account needs is what the cluster asks today.
pub fn sweep_rent(ctx: &mut Context<SweepRent>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let (mut from, mut to) = (*accounts.account.account(), *accounts.owner.account());
    let owner = owner_of(&from, &accounts.market)?;
    require!(address_eq(&owner, to.address()), MarketError::WrongOwner);
    let needed = Rent::get()?.try_minimum_balance(from.data_len())?;
    let lamports = from.lamports().saturating_sub(needed);
    require!(lamports > 0, MarketError::NothingToSweep);
    from.set_lamports(needed);
    to.set_lamports(math::add(to.lamports(), lamports)?);
    let event = RentSwept { account: *from.address(), owner, lamports, at: Clock::get()?.unix_timestamp };
    emit_event!(ctx, event)
}

/// Owner of a long-lived account's lamports beyond its rent.
fn owner_of(view: &AccountView, market: &Market) -> Result<Address> {
    let of_somebody = Account::<Host>::load(*view)
        .map(|host| host.authority)
        .or_else(|_| Account::<Listing>::load(*view).map(|listing| listing.authority))
        .or_else(|_| Account::<RenterProfile>::load(*view).map(|profile| profile.wallet))
        .or_else(|_| Account::<StakeAccount>::load(*view).map(|stake| stake.owner));
    if let Ok(owner) = of_somebody {
        return Ok(owner);
    }
    let is_the_markets = Account::<Market>::load(*view).is_ok()
        || Account::<PaymentMint>::load(*view).is_ok()
        || Account::<Vault>::load(*view).is_ok()
        || Account::<GpuModel>::load(*view).is_ok()
        || Account::<Catalog>::load(*view).is_ok()
        || Account::<StakePool>::load(*view).is_ok();
    require!(is_the_markets, MarketError::RentNotSwept);
    Ok(market.treasury)
}
