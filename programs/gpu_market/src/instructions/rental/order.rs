//! Parts shared by instructions that take an order: its checks, its price and the rental it writes.

use crate::*;

/// Terms that a renter asks for. `max_deposit` is the most the order may cost, in base units.
#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy)]
pub struct Order {
    pub kind: RentalKind,
    pub duration: u32,
    pub max_deposit: u64,
    /// SHA-256 of the order document.
    pub order_hash: [u8; 32],
    /// Micro-USD per machine-hour that a spot order offers; zero for the other kinds.
    pub bid_usd: u64,
    /// The listing's `spec_version` that the renter has seen.
    pub spec_version: u32,
    /// Agreement that the host ends the rental once its command has ended; refused for reserved orders.
    pub may_finish: bool,
}

/// Active stake of an order's two sides, in base units.
#[derive(Clone, Copy, Default)]
pub struct Stakes {
    pub renter: u64,
    pub host: u64,
}

/// Cost of an order.
pub struct Quote {
    /// Micro-USD per machine-hour.
    pub usd: u64,
    pub renter_fee_bps: u16,
    /// True if the stake of one side lowers its fee.
    pub has_discount: bool,
    pub rates: Rates,
    /// Base units from the renter, for the whole duration and the compensation of an order that waits.
    pub deposit: u64,
    /// Base units from the subsidy pool, for the whole duration.
    pub subsidy: u64,
}

impl Order {
    /// Requires that `renter` may place this order on this machine now, whoever holds it.
    pub fn require_allowed(
        &self,
        market: &Market,
        host: &Host,
        listing: &Listing,
        renter: &Address,
        now: i64,
    ) -> Result<()> {
        market.require_running(PauseArea::Orders, now)?;
        require!((self.kind == RentalKind::Spot) == (self.bid_usd > 0), MarketError::InvalidBid);
        require!(self.kind.is_valid_term(self.duration), MarketError::InvalidReservedTerm);
        require!(self.duration >= market.min_duration, MarketError::DurationTooShort);
        require!(self.duration <= listing.mrl_seconds.min(market.max_duration), MarketError::DurationTooLong);
        require!(host.approved != 0, MarketError::HostNotApproved);
        require!(listing.visible != 0, MarketError::ListingHidden);
        require!(self.spec_version == listing.spec_version, MarketError::SpecChanged);
        listing.require_heard(now, market.offline_after)?;
        require!(!address_eq(&listing.authority, renter), MarketError::SelfRental);
        Ok(())
    }

    /// Micro-USD per hour: the bid, or the listing's price, less the discount of a reserved order (rounded down). A bid is
    /// at most the listing's price, at which nobody can be outbid.
    fn price_usd(&self, market: &Market, listing: &Listing) -> Result<u64> {
        match self.kind {
            RentalKind::Spot => {
                require!(listing.spot_min_usd > 0, MarketError::SpotNotOffered);
                require!(self.bid_usd >= listing.spot_min_usd, MarketError::BidTooLow);
                require!(self.bid_usd <= listing.on_demand_usd, MarketError::BidTooHigh);
                Ok(self.bid_usd)
            }
            RentalKind::Reserved => {
                // The discount is for the whole term, and a finish would end it early at no cost.
                require!(!self.may_finish, MarketError::ReservedFinish);
                let discount = math::share_floor(listing.on_demand_usd, market.reserved_discount_bps)?;
                math::sub(listing.on_demand_usd, discount)
            }
            RentalKind::OnDemand => Ok(listing.on_demand_usd),
        }
    }

    /// The order's price with all fees, within what the renter agreed to. `token_price` is pico-USD per whole token. An
    /// order that `listing` has as its challenger escrows besides, as the holder's compensation, what its least charge comes to
    /// without a subsidy.
    #[allow(clippy::too_many_arguments)]
    pub fn quote(
        &self,
        market: &Market,
        mint: &PaymentMint,
        vault: &Vault,
        host: &Host,
        listing: &Listing,
        stakes: Stakes,
        token_price: u64,
        now: i64,
    ) -> Result<Quote> {
        let usd = self.price_usd(market, listing)?;
        require_worth(market, usd, self.duration)?;
        let price = math::usd_to_base_units_ceil(usd, token_price, mint.decimals)?;
        let unit = math::whole_token(market.market_decimals)?;
        let discount = |stake| {
            holding_discount_bps_floor(stake, unit)
                .and_then(|bps| spread_discount_bps_floor(bps, self.duration, market))
        };
        let fees = Fees {
            bps: fee_bps(market, self.kind),
            extra_bps: host.extra_fee_bps_ceil(listing, mint.extra_fee_bps, market.mfp_per_point)?,
            renter_discount_bps: discount(stakes.renter)?,
            host_discount_bps: discount(stakes.host)?,
        };
        let granted = subsidy_floor(mint, listing, usd, price)?;
        let subsidy_rate = if granted == 0 {
            0
        } else {
            let left = host.subsidy_left(now).min(vault.subsidy_left(market, now)?);
            spread_floor(granted, self.duration, market, left)?
        };
        let rates = Rates::at(price, &fees, subsidy_rate, mint.burn_bps)?;
        let cost = math::accrued_ceil(rates.rate, self.duration)?;
        let deposit = if listing.has_challenger() {
            // A subsidy is for time on the machine, not for keeping others from it.
            let whole = math::add(rates.rate, rates.subsidy)?;
            math::add(cost, math::accrued_ceil(whole, market.min_charge_seconds.into())?)?
        } else {
            cost
        };
        let subsidy = math::accrued_ceil(rates.subsidy, self.duration)?;
        require!(deposit <= self.max_deposit, MarketError::CostAboveMaximum);
        let has_discount = fees.renter_discount_bps > 0 || fees.host_discount_bps > 0;
        Ok(Quote { usd, renter_fee_bps: fees.of_renter_bps_floor(), has_discount, rates, deposit, subsidy })
    }

    /// Fills the new rental; the caller moves the money.
    #[allow(clippy::too_many_arguments)]
    pub fn write(
        &self,
        rental: &mut Rental,
        bump: u8,
        renter: &Address,
        nonce: u64,
        listing: &Address,
        market: &Market,
        vault: &Vault,
        quote: &Quote,
        now: i64,
    ) -> Result<()> {
        rental.bump = bump;
        rental.kind = self.kind as u8;
        rental.shard = vault.shard[0];
        rental.offline_after = market.offline_after;
        rental.renter = *renter;
        rental.listing = *listing;
        rental.mint = vault.mint;
        rental.order_hash = self.order_hash;
        rental.nonce = nonce;
        rental.deposit = quote.deposit;
        rental.rate = quote.rates.rate;
        rental.subsidy_rate = quote.rates.subsidy;
        rental.burn_rate = quote.rates.burn;
        rental.fee_rate = quote.rates.fee;
        rental.created_at = now;
        rental.duration = self.duration;
        rental.holdback_bps = market.holdback_bps;
        rental.holdback_window = market.holdback_window;
        rental.provision_timeout = market.provision_timeout;
        rental.min_charge = market.min_charge_seconds;
        rental.promise = market.provision_promise.min(market.provision_timeout);
        rental.renter_fee_bps = quote.renter_fee_bps;
        rental.has_discount = quote.has_discount.into();
        rental.finish_window = market.finish_window;
        rental.may_finish = self.may_finish.into();
        rental.discount_bps = if rental.is_reserved() { market.reserved_discount_bps } else { 0 };
        rental.rate_usd = u32::try_from(quote.usd).map_err(|_| MarketError::MathOverflow)?;
        Ok(())
    }
}

fn fee_bps(market: &Market, kind: RentalKind) -> u16 {
    match kind {
        RentalKind::OnDemand => market.on_demand_fee_bps,
        RentalKind::Reserved => market.reserved_fee_bps,
        RentalKind::Spot => market.spot_fee_bps,
    }
}

fn require_worth(market: &Market, usd: u64, seconds: u32) -> Result<()> {
    require!(math::accrued_floor(usd, seconds)? >= market.order_min_usd, MarketError::OrderBelowMinimum);
    Ok(())
}

/// Escrow of a renter without stake for `seconds` at `usd` micro-USD per machine-hour with the most subsidy that any
/// machine may have, in base units, rounded up.
/// `token_price` is pico-USD per whole token.
pub fn cost_ceil(
    market: &Market,
    mint: &PaymentMint,
    kind: RentalKind,
    usd: u64,
    seconds: u32,
    token_price: u64,
) -> Result<u64> {
    require_worth(market, usd, seconds)?;
    let price = math::usd_to_base_units_ceil(usd, token_price, mint.decimals)?;
    let fees = Fees { bps: fee_bps(market, kind), ..Fees::default() };
    let subsidy = spread_floor(math::share_floor(price, mint.subsidy_bps)?, seconds, market, u64::MAX)?;
    math::accrued_ceil(Rates::at(price, &fees, subsidy, mint.burn_bps)?.rate, seconds)
}

/// A rental that [`Order::write`] has filled, and what its event says besides.
pub struct Opened {
    pub rental: Account<Rental>,
    /// Base units from the subsidy pool, for the whole duration.
    pub subsidy: u64,
    /// Left booked of the host's subsidy budget of the day; zero without a subsidy, as the host's seq is.
    pub host_booked: u64,
    pub host_seq: u64,
    pub listing_seq: u64,
    pub vault_seq: u64,
}

impl Opened {
    /// Emits the event of the opening; `preempt_at` is zero if the rental holds its machine.
    #[inline(never)]
    pub fn tell(&self, order: &Order, host: &Address, preempt_at: i64, event_authority: &AccountView, event_bump: u8) {
        let rental = &self.rental;
        RentalOpened {
            rental: *rental.address(),
            renter: rental.renter,
            listing: rental.listing,
            host: *host,
            mint: rental.mint,
            nonce: rental.nonce,
            kind: order.kind,
            shard: rental.shard,
            duration: rental.duration,
            deposit: rental.deposit,
            subsidy: self.subsidy,
            rate: rental.rate,
            subsidy_rate: rental.subsidy_rate,
            burn_rate: rental.burn_rate,
            fee_rate: rental.fee_rate,
            rate_usd: rental.rate_usd,
            holdback_bps: rental.holdback_bps,
            provision_timeout: rental.provision_timeout,
            min_charge: rental.min_charge,
            promise: rental.promise,
            offline_after: rental.offline_after,
            tip_lamports: rental.tip_lamports,
            order_hash: rental.order_hash,
            at: rental.created_at,
            seq: rental.seq,
            listing_seq: self.listing_seq,
            vault_seq: self.vault_seq,
            preempt_at,
            spec_version: order.spec_version,
            holdback_window: rental.holdback_window,
            discount_bps: rental.discount_bps,
            may_finish: order.may_finish,
            finish_window: rental.finish_window,
            host_booked: self.host_booked,
            host_seq: self.host_seq,
        }
        .emit(event_authority, event_bump);
    }
}

/// Emits the event of `$opened` through the event authority of `$ctx`.
macro_rules! tell_opened {
    ($ctx:ident, $opened:ident, $order:expr, $preempt_at:expr) => {
        $opened.tell(
            $order,
            $ctx.accounts.host.address(),
            $preempt_at,
            $ctx.accounts.event_authority.account(),
            $ctx.bumps.event_authority,
        )
    };
}
pub(crate) use tell_opened;
