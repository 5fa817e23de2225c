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

/// A market for tests takes shorter times and smaller quorums, and says so for ever.
pub fn initialize_market(ctx: &mut Context<InitializeMarket>, keys: MarketKeys, testing: bool) -> Result<()> {
    let accounts = &mut ctx.accounts;
    require_upgrade_authority(accounts.program_data.account(), accounts.authority.address())?;
    let KnownMint { decimals, freezable, .. } = require_mint(accounts.market_mint.account())?;
    require!(!freezable, MarketError::FreezableMarketToken);
    let unit = math::whole_token(decimals)?;
    require!(*accounts.market_mint.address() != NATIVE_MINT, MarketError::NativeMarketToken);
    let at = Clock::get()?.unix_timestamp;
    let (address, authority, market_mint) =
        (*accounts.market.address(), *accounts.authority.address(), *accounts.market_mint.address());
    let market = &mut accounts.market;
    market.bump = ctx.bumps.market;
    market.testing = testing.into();
    market.authority = authority;
    market.guardian = keys.guardian;
    market.market_mint = market_mint;
    market.market_decimals = decimals;
    market.treasury = keys.treasury;
    market.set_defaults(unit)?;
    let seq = market.next_seq();
    let event = MarketInitialized {
        market: address,
        authority,
        guardian: keys.guardian,
        market_mint,
        treasury: keys.treasury,
        testing,
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

/// Fields of an SPL Token mint.
pub struct KnownMint {
    pub decimals: u8,
    /// True if its issuer may freeze accounts.
    pub freezable: bool,
    /// True if its issuer may mint more; once not, never again.
    pub mintable: bool,
    pub supply: u64,
}

/// Requires an SPL Token mint. A Token-2022 mint is refused by name.
pub fn require_mint(view: &AccountView) -> Result<KnownMint> {
    require!(!view.owned_by(&Token2022::id()), MarketError::Token2022Unsupported);
    let mint = ForeignAccount::<Mint>::load(*view).map_err(|_| MarketError::InvalidMint)?;
    Ok(KnownMint {
        decimals: mint.decimals(),
        freezable: mint.has_freeze_authority(),
        mintable: mint.has_mint_authority(),
        supply: mint.supply(),
    })
}
