//! gpu-market: a non-custodial GPU rental market. Escrow, SPL burn, hosts, listings and rentals.
//!
//! Amounts are base units of a payment mint, prices micro-USD per machine-hour, times unix seconds, shares basis points.

mod constants;
mod errors;
mod events;
mod instructions;
mod math;
mod pyth;
mod state;
mod token;

pub use constants::*;
pub use errors::*;
pub use events::*;
pub use instructions::*;
pub use state::*;

use anchor_lang::prelude::*;

declare_id!("GPUmktVtMtDdgYRqWcMQxmaPbMGyE2tvYQSdeT1zexm1");

#[program]
pub mod gpu_market {
    use super::*;

    /// Opens the market with its defaults. Only the program's upgrade authority, once.
    pub fn initialize_market(ctx: &mut Context<InitializeMarket>, keys: MarketKeys) -> Result<()> {
        instructions::initialize_market(ctx, keys)
    }

    /// Sets one numeric parameter within its bounds. Authority.
    pub fn update_market(ctx: &mut Context<UpdateMarket>, parameter: MarketParameter, value: u64) -> Result<()> {
        instructions::update_market(ctx, parameter, value)
    }

    /// Replaces the guardian or the treasury wallet. Authority.
    pub fn update_market_key(ctx: &mut Context<UpdateMarketKey>, key: MarketKey, new: Address) -> Result<()> {
        instructions::update_market_key(ctx, key, new)
    }

    /// Pauses or resumes an area. Authority both ways; guardian may only pause.
    pub fn set_paused(ctx: &mut Context<SetPaused>, area: PauseArea, paused: bool) -> Result<()> {
        instructions::set_paused(ctx, area, paused)
    }

    /// Lets orders be paid in an SPL Token mint. Authority.
    pub fn add_payment_mint(ctx: &mut Context<AddPaymentMint>, terms: PaymentMintTerms) -> Result<()> {
        instructions::add_payment_mint(ctx, terms)
    }

    /// Changes a payment mint's terms for new orders. Authority.
    pub fn update_payment_mint(ctx: &mut Context<UpdatePaymentMint>, terms: PaymentMintTerms) -> Result<()> {
        instructions::update_payment_mint(ctx, terms)
    }

    /// Adds a vault shard within the mint's shards; its associated token account must exist. Anyone.
    pub fn add_vault(ctx: &mut Context<AddVault>, shard: [u8; 1]) -> Result<()> {
        instructions::add_vault(ctx, shard)
    }

    /// Posts a price in pico-USD per whole token. The mint's oracle key.
    pub fn post_price(ctx: &mut Context<PostPrice>, price: u64) -> Result<()> {
        instructions::post_price(ctx, price)
    }

    /// Adds market tokens to a vault's subsidy pool. Anyone.
    pub fn fund_subsidy(ctx: &mut Context<FundSubsidy>, amount: u64) -> Result<()> {
        instructions::fund_subsidy(ctx, amount)
    }

    /// Divides a vault's fees between burn, stakers and treasury. Anyone.
    pub fn sweep_fees(ctx: &mut Context<SweepFees>) -> Result<()> {
        instructions::sweep_fees(ctx)
    }

    /// Registers the signer as a host with the X25519 key that orders are sealed to.
    pub fn register_host(ctx: &mut Context<RegisterHost>, seal_key: [u8; 32]) -> Result<()> {
        instructions::register_host(ctx, seal_key)
    }

    /// Replaces the host's seal key. Host.
    pub fn update_host(ctx: &mut Context<UpdateHost>, seal_key: [u8; 32]) -> Result<()> {
        instructions::update_host(ctx, seal_key)
    }

    /// Approves a host or takes the approval back. Authority.
    pub fn approve_host(ctx: &mut Context<ApproveHost>, approved: bool) -> Result<()> {
        instructions::approve_host(ctx, approved)
    }

    /// Lists a machine under the host's next number. Approved host.
    pub fn create_listing(ctx: &mut Context<CreateListing>, id: [u8; 4], spec: ListingSpec) -> Result<()> {
        instructions::create_listing(ctx, id, spec)
    }

    /// Changes what a listing says, for new rentals. Host.
    pub fn update_listing(ctx: &mut Context<UpdateListing>, spec: ListingSpec) -> Result<()> {
        instructions::update_listing(ctx, spec)
    }

    /// Takes an idle listing off the market; its rent returns. Host.
    pub fn close_listing(ctx: &mut Context<CloseListing>) -> Result<()> {
        instructions::close_listing(ctx)
    }

    /// Shows that the listings in the remaining accounts are up. Host.
    pub fn heartbeat(ctx: &mut Context<Heartbeat>) -> Result<()> {
        instructions::heartbeat(ctx)
    }

    /// Creates a wallet's renter profile. Anyone pays.
    pub fn register_renter(ctx: &mut Context<RegisterRenter>) -> Result<()> {
        instructions::register_renter(ctx)
    }

    /// Rents an idle listing, on demand or reserved: escrows the whole cost. Renter.
    pub fn open_rental(ctx: &mut Context<OpenRental>, nonce: [u8; 8], order: Order) -> Result<()> {
        instructions::open_rental(ctx, nonce, order)
    }

    /// Escrows an order for whichever machine fits it. Renter.
    pub fn open_request(ctx: &mut Context<OpenRequest>, nonce: [u8; 8], order: RequestOrder) -> Result<()> {
        instructions::open_request(ctx, nonce, order)
    }

    /// Withdraws a request: deposit, rent and tips return. Renter.
    pub fn cancel_request(ctx: &mut Context<EndRequest>) -> Result<()> {
        instructions::cancel_request(ctx)
    }

    /// Ends a request that found no machine in time: the deposit returns. Anyone.
    pub fn expire_request(ctx: &mut Context<EndRequest>) -> Result<()> {
        instructions::expire_request(ctx)
    }

    /// Rents an idle listing that fits a request, at the listing's price; the difference returns. Anyone.
    pub fn match_request(ctx: &mut Context<MatchRequest>) -> Result<()> {
        instructions::match_request(ctx)
    }

    /// Takes the order and hands over the sealed connection. Host.
    pub fn accept_rental(ctx: &mut Context<AcceptRental>, connection: Vec<u8>) -> Result<()> {
        instructions::accept_rental(ctx, connection)
    }

    /// Starts the meter. Host.
    pub fn start_rental(ctx: &mut Context<StartRental>) -> Result<()> {
        instructions::start_rental(ctx)
    }

    /// Buys more time at the rental's own rates. Renter.
    pub fn extend_rental(ctx: &mut Context<ExtendRental>, seconds: u32, max_deposit: u64) -> Result<()> {
        instructions::extend_rental(ctx, seconds, max_deposit)
    }

    /// Pays the host what it has earned so far. Anyone.
    pub fn settle_rental(ctx: &mut Context<SettleRental>) -> Result<()> {
        instructions::settle_rental(ctx)
    }

    /// Ends the rental and refunds what was not used. Renter.
    pub fn stop_rental(ctx: &mut Context<EndRental>) -> Result<()> {
        instructions::stop_rental(ctx)
    }

    /// Gives the rental up with a reason. Host.
    pub fn cancel_rental(ctx: &mut Context<EndRental>, reason: CloseReason) -> Result<()> {
        instructions::cancel_rental(ctx, reason)
    }

    /// Ends a rental that the host did not start in time. Anyone.
    pub fn cancel_unstarted(ctx: &mut Context<EndRental>) -> Result<()> {
        instructions::cancel_unstarted(ctx)
    }

    /// Ends a rental whose paid time is over. Anyone.
    pub fn finalize_rental(ctx: &mut Context<EndRental>) -> Result<()> {
        instructions::finalize_rental(ctx)
    }

    /// Ends a rental whose host has gone silent. Anyone.
    pub fn report_offline(ctx: &mut Context<EndRental>) -> Result<()> {
        instructions::report_offline(ctx)
    }

    /// Rates the rental, 1 to 5. Renter.
    pub fn rate_rental(ctx: &mut Context<RateRental>, rating: u8) -> Result<()> {
        instructions::rate_rental(ctx, rating)
    }
}
