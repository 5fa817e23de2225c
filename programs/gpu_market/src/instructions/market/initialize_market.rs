use crate::*;
use anchor_lang::programs::System;
use anchor_spl::mint::Mint;

pub const LOADER_V3: Address = Address::from_str_const("BPFLoaderUpgradeab1e11111111111111111111111");
const NATIVE_MINT: Address = Address::from_str_const("So11111111111111111111111111111111111111112");
/// Loader v3's ProgramData: tag, slot, option tag, upgrade authority.
const PROGRAM_DATA_TAG: [u8; 4] = [3, 0, 0, 0];

#[event_cpi]
#[derive(Accounts)]
pub struct InitializeMarket {
    #[account(mut)]
    pub authority: Signer,
    #[account(init, payer = authority, seeds = [b"market"], bump)]
    pub market: Account<Market>,
    /// The program's ProgramData account: only its upgrade authority opens the market, so nobody can be first instead.
    pub program_data: UncheckedAccount,
    pub market_mint: UncheckedAccount,
    pub system_program: Program<System>,
}

#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy)]
pub struct MarketKeys {
    pub guardian: Address,
    pub treasury: Address,
}

pub fn initialize_market(ctx: &mut Context<InitializeMarket>, keys: MarketKeys) -> Result<()> {
    let accounts = &mut ctx.accounts;
    require_upgrade_authority(accounts.program_data.account(), accounts.authority.address())?;
    let (decimals, freezable) = require_mint(accounts.market_mint.account())?;
    require!(!freezable, MarketError::FreezableMarketToken);
    let unit = math::whole_token(decimals)?;
    require!(*accounts.market_mint.address() != NATIVE_MINT, MarketError::NativeMarketToken);
    let at = Clock::get()?.unix_timestamp;
    let (address, authority, market_mint) =
        (*accounts.market.address(), *accounts.authority.address(), *accounts.market_mint.address());
    let market = &mut accounts.market;
    market.version = LAYOUT_VERSION;
    market.bump = ctx.bumps.market;
    market.authority = authority;
    market.guardian = keys.guardian;
    market.market_mint = market_mint;
    market.market_decimals = decimals;
    market.treasury = keys.treasury;
    market.order_min_usd = 5 * USD;
    market.tip_lamports = 20_000;
    market.min_duration = 21_600;
    market.max_duration = MAX_DURATION;
    market.provision_timeout = 900;
    market.offline_after = 1_800;
    market.answer_window = 60;
    market.answer_slots = 150;
    market.finish_window = 86_400;
    market.on_demand_fee_bps = 1_000;
    market.reserved_fee_bps = 1_000;
    market.spot_fee_bps = 250;
    market.reserved_discount_bps = 1_000;
    market.holdback_bps = 1_000;
    market.fee_burn_bps = 2_000;
    market.fee_stakers_bps = 5_000;
    market.spot_grace = 90;
    market.spot_increment_bps = 500;
    market.priority_window = 30;
    market.priority_stake = unit.saturating_mul(100_000);
    market.quota_base = 20;
    market.quota_region_base = 10;
    market.quota_stake_step = unit.saturating_mul(10_000);
    market.quota_spend_step = 500 * USD;
    market.mfp_per_point = unit.saturating_mul(1_000);
    market.mfp_unlock_delay = 604_800;
    market.min_rated_seconds = 600;
    market.reputation_interval = 86_400;
    market.epoch_seconds = 86_400;
    market.proposal_stake = unit.saturating_mul(100_000);
    market.voting_period = 259_200;
    market.timelock = 86_400;
    market.quorum_bps = 1_000;
    market.threshold_bps = 6_000;
    market.charge_window = 86_400;
    market.holdback_window = 86_400;
    market.min_charge_seconds = 60;
    market.provision_promise = 120;
    market.extend_tolerance_bps = 1_000;
    market.post_step_bps = 500;
    market.min_post_interval = 60;
    market.invariant()?;
    let seq = market.next_seq();
    let event = MarketInitialized {
        market: address,
        authority,
        guardian: keys.guardian,
        market_mint,
        treasury: keys.treasury,
        at,
        seq,
    };
    emit_event!(ctx, event)
}

fn require_upgrade_authority(program_data: &AccountView, signer: &Address) -> Result<()> {
    let (expected, _) = find_program_address(&[crate::ID.as_ref()], &LOADER_V3);
    require!(*program_data.address() == expected, MarketError::WrongUpgradeAuthority);
    require!(program_data.owned_by(&LOADER_V3), MarketError::WrongUpgradeAuthority);
    let data = program_data.try_borrow()?;
    let named = data.get(..4) == Some(PROGRAM_DATA_TAG.as_slice())
        && data.get(12) == Some(&1)
        && data.get(13..45) == Some(signer.as_ref());
    require!(named, MarketError::WrongUpgradeAuthority);
    Ok(())
}

/// Requires an SPL Token mint; gives its decimals, and whether its issuer may freeze accounts. A Token-2022 mint is
/// refused by name.
pub fn require_mint(view: &AccountView) -> Result<(u8, bool)> {
    require!(!view.owned_by(&Token2022::id()), MarketError::Token2022Unsupported);
    let mint = Account::<Mint>::load(*view).map_err(|_| MarketError::InvalidMint)?;
    Ok((mint.decimals(), mint.has_freeze_authority()))
}
