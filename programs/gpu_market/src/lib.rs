//! gpu-market: a non-custodial GPU rental market. Escrow, SPL burn, hosts, listings and rentals.
//!
//! Amounts are base units of a payment mint, prices micro-USD per machine-hour, times unix seconds, shares basis points.

mod constants;
mod creation;
mod errors;
mod events;
mod instructions;
mod layout;
mod math;
mod payee;
mod pyth;
mod state;
mod system;
mod token;

pub use constants::*;
pub use errors::*;
pub use events::*;
pub use instructions::*;
pub use layout::{Account, ForeignAccount, Layout, Versioned};
pub use payee::*;
pub use state::*;

use anchor_lang::address_eq;
use anchor_lang::prelude::*;

declare_id!("GPUmktVtMtDdgYRqWcMQxmaPbMGyE2tvYQSdeT1zexm1");

solana_security_txt::security_txt! {
    name: "gpu-market",
    project_url: "https://github.com/gpu-market/gpu-market",
    contacts: "link:https://github.com/gpu-market/gpu-market/security/advisories/new",
    policy: "https://github.com/gpu-market/gpu-market/blob/main/SECURITY.md",
    preferred_languages: "en",
    source_code: "https://github.com/gpu-market/gpu-market",
    auditors: "None"
}

#[program]
pub mod gpu_market {
    use super::*;

    /// Opens the market with its defaults, for tests or for use. Only the program's upgrade authority, once.
    pub fn initialize_market(ctx: &mut Context<InitializeMarket>, keys: MarketKeys, testing: bool) -> Result<()> {
        instructions::initialize_market(ctx, keys, testing)
    }
    /// Sets one numeric parameter within its bounds. Authority.
    pub fn update_market(ctx: &mut Context<UpdateMarket>, parameter: MarketParameter, value: u64) -> Result<()> {
        instructions::update_market(ctx, parameter, value)
    }
    /// Replaces the guardian or the treasury wallet. Authority.
    pub fn update_market_key(ctx: &mut Context<UpdateMarketKey>, key: MarketKey, new: Address) -> Result<()> {
        instructions::update_market_key(ctx, key, new)
    }
    /// Pauses or resumes an area. Authority both ways; guardian may only pause, for a while.
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
    /// Takes what nobody is owed out of a vault: unreserved subsidy, and what was sent there directly. Authority.
    pub fn withdraw_unreserved(ctx: &mut Context<WithdrawUnreserved>, amount: u64) -> Result<()> {
        instructions::withdraw_unreserved(ctx, amount)
    }
    /// Divides a vault's fees between burn, stakers and treasury. Anyone.
    pub fn sweep_fees(ctx: &mut Context<SweepFees>) -> Result<()> {
        instructions::sweep_fees(ctx)
    }
    /// Gives an account's lamports beyond its rent to whose account it is. Anyone.
    pub fn sweep_rent(ctx: &mut Context<SweepRent>) -> Result<()> {
        instructions::sweep_rent(ctx)
    }
    /// Registers the signer as a host with the X25519 key that orders are sealed to.
    pub fn register_host(ctx: &mut Context<RegisterHost>, seal_key: [u8; 32]) -> Result<()> {
        instructions::register_host(ctx, seal_key)
    }
    /// Replaces the host's seal key. Host.
    pub fn update_host(ctx: &mut Context<UpdateHost>, seal_key: [u8; 32]) -> Result<()> {
        instructions::update_host(ctx, seal_key)
    }
    /// Approves a host or takes the approval back, and sets the base units of subsidy that its machines may draw in a day.
    /// Authority.
    pub fn approve_host(ctx: &mut Context<ApproveHost>, approved: bool, subsidy_budget: u64) -> Result<()> {
        instructions::approve_host(ctx, approved, subsidy_budget)
    }
    /// Lists a machine under the host's next number. Approved host.
    pub fn create_listing(ctx: &mut Context<CreateListing>, id: [u8; 4], spec: ListingSpec) -> Result<()> {
        instructions::create_listing(ctx, id, spec)
    }
    /// Changes what a listing says, for new rentals. Host.
    pub fn update_listing(ctx: &mut Context<UpdateListing>, spec: ListingSpec) -> Result<()> {
        instructions::update_listing(ctx, spec)
    }
    /// Gives a listing another operator: the key that serves its machine. Host.
    pub fn set_operator(ctx: &mut Context<SetOperator>, operator: Address) -> Result<()> {
        instructions::set_operator(ctx, operator)
    }
    /// Takes an idle listing off the market; its rent returns. Host.
    pub fn close_listing(ctx: &mut Context<CloseListing>) -> Result<()> {
        instructions::close_listing(ctx)
    }
    /// Pays a host what its listing owes it, into an account of theirs. Anyone.
    pub fn claim_payout(ctx: &mut Context<ClaimPayout>) -> Result<()> {
        instructions::claim_payout(ctx)
    }
    /// Shows that the listings in the remaining accounts are up. Operator.
    pub fn heartbeat(ctx: &mut Context<Heartbeat>) -> Result<()> {
        instructions::heartbeat(ctx)
    }
    /// Marks a listing that has not been heard from for too long; unanswered, its host counts as silent. Anyone.
    pub fn mark_silent(ctx: &mut Context<MarkSilent>) -> Result<()> {
        instructions::mark_silent(ctx)
    }
    /// Moves what the listings in the remaining accounts have counted to their host, and scores it once the interval is
    /// over and all its open listings have been brought since. Anyone.
    pub fn update_reputation(ctx: &mut Context<UpdateReputation>) -> Result<()> {
        instructions::update_reputation(ctx)
    }
    /// Creates a wallet's renter profile. Anyone pays.
    pub fn register_renter(ctx: &mut Context<RegisterRenter>, first_nonce: u64) -> Result<()> {
        instructions::register_renter(ctx, first_nonce)
    }
    /// Rents a free listing: escrows the whole cost. Renter.
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
    pub fn match_request(ctx: &mut Context<MatchRequest>, spec_version: u32, payout_bump: u8) -> Result<()> {
        instructions::match_request(ctx, spec_version, payout_bump)
    }
    /// Takes the order and hands over the sealed connection. Operator.
    pub fn accept_rental(ctx: &mut Context<AcceptRental>, connection: Vec<u8>) -> Result<()> {
        instructions::accept_rental(ctx, connection)
    }
    /// Starts the meter, and pays the matcher of a request, who is the one remaining account. Operator.
    pub fn start_rental(ctx: &mut Context<StartRental>) -> Result<()> {
        instructions::start_rental(ctx)
    }
    /// Buys more time at the rental's own rates. Renter.
    pub fn extend_rental(
        ctx: &mut Context<ExtendRental>,
        old_duration: u32,
        seconds: u32,
        max_deposit: u64,
    ) -> Result<()> {
        instructions::extend_rental(ctx, old_duration, seconds, max_deposit)
    }
    /// Pays the host what it has earned so far. Anyone.
    pub fn settle_rental(ctx: &mut Context<SettleRental>, payout_bump: u8) -> Result<()> {
        instructions::settle_rental(ctx, payout_bump)
    }
    /// Ends the rental and refunds what was not used. Renter.
    pub fn stop_rental(ctx: &mut Context<EndRental>) -> Result<()> {
        instructions::stop_rental(ctx)
    }
    /// Gives the rental up with a reason. Operator.
    pub fn cancel_rental(ctx: &mut Context<EndRental>, reason: CloseReason) -> Result<()> {
        instructions::cancel_rental(ctx, reason)
    }
    /// Ends a rental whose command has ended, if its renter has agreed to that. Operator.
    pub fn finish_rental(ctx: &mut Context<EndRental>, exit_code: u8) -> Result<()> {
        instructions::finish_rental(ctx, exit_code)
    }
    /// Denies that the command of a finished rental has ended: the host loses what was held back, and it weighs as a report.
    /// Renter.
    pub fn contest_finish(ctx: &mut Context<ContestFinish>) -> Result<()> {
        instructions::contest_finish(ctx)
    }
    /// Pays the host what a finished rental has held back. Anyone, once it can no longer be contested.
    pub fn release_holdback(ctx: &mut Context<ReleaseHoldback>) -> Result<()> {
        instructions::release_holdback(ctx)
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
    /// Says what is wrong with a rented machine. Renter.
    pub fn report_issue(ctx: &mut Context<ReportIssue>, issue: RentalIssue) -> Result<()> {
        instructions::report_issue(ctx, issue)
    }
    /// Rates the rental, 1 to 5, once it has run for a while. Renter.
    pub fn rate_rental(ctx: &mut Context<RateRental>, rating: u8) -> Result<()> {
        instructions::rate_rental(ctx, rating)
    }
    /// Opens the stake pool; its first epoch begins now. Authority, once.
    pub fn initialize_pool(ctx: &mut Context<InitializePool>) -> Result<()> {
        instructions::initialize_pool(ctx)
    }
    /// Lets stake earn rewards in one more mint. Authority.
    pub fn add_reward_mint(ctx: &mut Context<AddRewardMint>) -> Result<()> {
        instructions::add_reward_mint(ctx)
    }
    /// Ends every epoch whose time is over. Anyone.
    pub fn advance_epoch(ctx: &mut Context<AdvanceEpoch>) -> Result<()> {
        instructions::advance_epoch(ctx)
    }
    /// Adds rewards for the next epoch. Anyone.
    pub fn fund_rewards(ctx: &mut Context<FundRewards>, stream: u8, amount: u64) -> Result<()> {
        instructions::fund_rewards(ctx, stream, amount)
    }
    /// Moves the stakers' share of a vault's fees to their rewards. Anyone.
    pub fn sweep_stakers(ctx: &mut Context<SweepStakers>) -> Result<()> {
        instructions::sweep_stakers(ctx)
    }
    /// Stakes market tokens; they earn from the next epoch. Owner.
    pub fn stake(ctx: &mut Context<Stake>, amount: u64) -> Result<()> {
        instructions::stake(ctx, amount)
    }
    /// Takes stake out of work; it leaves after the length of an epoch. Owner.
    pub fn unstake(ctx: &mut Context<Unstake>, amount: u64) -> Result<()> {
        instructions::unstake(ctx, amount)
    }
    /// Pays out all stake that has cooled down. Owner.
    pub fn withdraw_stake(ctx: &mut Context<WithdrawStake>) -> Result<()> {
        instructions::withdraw_stake(ctx)
    }
    /// Closes an empty stake account; its rent returns. Owner.
    pub fn close_stake(ctx: &mut Context<CloseStake>) -> Result<()> {
        instructions::close_stake(ctx)
    }
    /// Pays out the rewards of one stream. Owner.
    pub fn claim(ctx: &mut Context<Claim>, stream: u8) -> Result<()> {
        instructions::claim(ctx, stream)
    }
    /// Stakes the rewards earned in the market token. Owner.
    pub fn compound(ctx: &mut Context<Compound>) -> Result<()> {
        instructions::compound(ctx)
    }
    /// Opens the catalog of GPU models. Authority, once.
    pub fn initialize_catalog(ctx: &mut Context<InitializeCatalog>) -> Result<()> {
        instructions::initialize_catalog(ctx)
    }
    /// Sets the points and the reference price of one GPU of a model. Authority.
    pub fn set_gpu_model(ctx: &mut Context<SetGpuModel>, number: [u8; 2], terms: GpuTerms) -> Result<()> {
        instructions::set_gpu_model(ctx, number, terms)
    }
    /// Gives a listing the catalog's present points and reference price. Anyone.
    pub fn refresh_listing(ctx: &mut Context<RefreshListing>) -> Result<()> {
        instructions::refresh_listing(ctx)
    }
    /// Locks market tokens against the extra fee. Host.
    pub fn lock_mfp(ctx: &mut Context<LockMfp>, amount: u64) -> Result<()> {
        instructions::lock_mfp(ctx, amount)
    }
    /// Takes tokens out of the lock; they leave after the delay. Host.
    pub fn unlock_mfp(ctx: &mut Context<UnlockMfp>, amount: u64) -> Result<()> {
        instructions::unlock_mfp(ctx, amount)
    }
    /// Pays out all unlocked tokens. Host.
    pub fn withdraw_mfp(ctx: &mut Context<WithdrawMfp>) -> Result<()> {
        instructions::withdraw_mfp(ctx)
    }
    /// Makes the stakers' vote the market's authority, for ever. Authority.
    pub fn hand_over(ctx: &mut Context<HandOver>) -> Result<()> {
        instructions::hand_over(ctx)
    }
    /// Puts an action to the vote. Stakers above a threshold, one proposal at a time.
    pub fn create_proposal(
        ctx: &mut Context<CreateProposal>,
        nonce: [u8; 8],
        action: Action,
        title: String,
    ) -> Result<()> {
        instructions::create_proposal(ctx, nonce, action, title)
    }
    /// Votes with the stake that has been active since the proposal opened. Stakers, once each.
    pub fn vote(ctx: &mut Context<Vote>, support: bool) -> Result<()> {
        instructions::vote(ctx, support)
    }
    /// Takes a proposal back before its vote ends. Proposer.
    pub fn cancel_proposal(ctx: &mut Context<CancelProposal>) -> Result<()> {
        instructions::cancel_proposal(ctx)
    }
    /// Counts the votes: queues the proposal for execution or defeats it. Anyone, in the week after the vote.
    pub fn queue_proposal(ctx: &mut Context<QueueProposal>) -> Result<()> {
        instructions::queue_proposal(ctx)
    }
    /// Does what was voted for. Anyone, after the timelock.
    pub fn execute_proposal(ctx: &mut Context<ExecuteProposal>) -> Result<()> {
        instructions::execute_proposal(ctx)
    }
    /// Returns the rent of a vote to its voter. Anyone, once the vote is over.
    pub fn close_vote(ctx: &mut Context<CloseVote>) -> Result<()> {
        instructions::close_vote(ctx)
    }
    /// Stops a queued upgrade or payment of the treasury. Guardian.
    pub fn veto_proposal(ctx: &mut Context<VetoProposal>) -> Result<()> {
        instructions::veto_proposal(ctx)
    }
    /// Returns the rent of a proposal to its proposer. Anyone, once nothing more can become of it.
    pub fn close_proposal(ctx: &mut Context<CloseProposal>) -> Result<()> {
        instructions::close_proposal(ctx)
    }
    /// Closes a renter's profile; its rent goes to the wallet. Renter, without rentals.
    pub fn close_renter(ctx: &mut Context<CloseRenter>) -> Result<()> {
        instructions::close_renter(ctx)
    }
    /// Pays a renter what an ended rental owes them, into an account of theirs. Anyone.
    pub fn claim_refund(ctx: &mut Context<ClaimRefund>) -> Result<()> {
        instructions::claim_refund(ctx)
    }
    /// Orders a machine that a spot rental holds; its holder is given a grace. Renter.
    pub fn place_bid(ctx: &mut Context<PlaceBid>, nonce: [u8; 8], order: Order) -> Result<()> {
        instructions::place_bid(ctx, nonce, order)
    }
    /// Takes the place of the order that waits for a machine, which is refunded. Renter.
    pub fn outbid(ctx: &mut Context<Outbid>, nonce: [u8; 8], order: Order, payout_bump: u8) -> Result<()> {
        instructions::outbid(ctx, nonce, order, payout_bump)
    }
    /// Takes an order that waits for a machine back, refunded. Its renter, who compensates the holder of the machine; anyone
    /// once it has waited too long.
    pub fn withdraw_challenger(ctx: &mut Context<WithdrawChallenger>) -> Result<()> {
        instructions::withdraw_challenger(ctx)
    }
    /// Ends a challenged rental after its grace and hands the machine to the order that waits. Anyone.
    pub fn preempt(ctx: &mut Context<Preempt>, payout_bump: u8) -> Result<()> {
        instructions::preempt(ctx, payout_bump)
    }
    /// Gives a machine that fell idle to the order that waits for it. Anyone.
    pub fn take_over(ctx: &mut Context<TakeOver>) -> Result<()> {
        instructions::take_over(ctx)
    }
    /// Sets what the listing charges beyond its price, for new meters. Host.
    pub fn set_charges(ctx: &mut Context<SetCharges>, charges: Charges) -> Result<()> {
        instructions::set_charges(ctx, charges)
    }
    /// Escrows the most that the rental's charges may take and fixes their prices. Renter.
    pub fn open_meter(ctx: &mut Context<OpenMeter>, cap: u64, storage_gb: u32, agreed: Charges) -> Result<()> {
        instructions::open_meter(ctx, cap, storage_gb, agreed)
    }
    /// Reports the rental's traffic and storage since the meter opened. Operator.
    pub fn report_usage(ctx: &mut Context<ReportUsage>, bandwidth_mb: u64, storage_gb_hours: u64) -> Result<()> {
        instructions::report_usage(ctx, bandwidth_mb, storage_gb_hours)
    }
    /// Freezes the usage that is open to dispute. Renter.
    pub fn dispute_usage(ctx: &mut Context<DisputeUsage>) -> Result<()> {
        instructions::dispute_usage(ctx)
    }
    /// Agrees to all that has been reported, disputed or not. Renter.
    pub fn accept_usage(ctx: &mut Context<AcceptUsage>) -> Result<()> {
        instructions::accept_usage(ctx)
    }
    /// Drops usage that the renter disputed and did not accept in time. Anyone.
    pub fn resolve_dispute(ctx: &mut Context<ResolveDispute>) -> Result<()> {
        instructions::resolve_dispute(ctx)
    }
    /// Pays the host the usage that nobody may dispute any more. Anyone.
    pub fn settle_meter(ctx: &mut Context<SettleMeter>, payout_bump: u8) -> Result<()> {
        instructions::settle_meter(ctx, payout_bump)
    }
    /// Pays what is still owed, refunds the rest and closes the meter. Anyone.
    pub fn close_meter(ctx: &mut Context<CloseMeter>) -> Result<()> {
        instructions::close_meter(ctx)
    }
}
