use crate::*;

/// One rental of one listing, at seeds `"rental", renter, nonce`; it lives from opening to the transaction that ends it.
///
/// Every amount is a function of the rates below and of seconds, so nothing drifts: settling at t1 and then t2 pays
/// what settling at t2 alone would.
#[account]
pub struct Rental {
    pub version: u8,
    pub bump: u8,
    /// See [`RentalKind`].
    pub kind: u8,
    /// See [`RentalState`].
    pub state: u8,
    /// 1 to 5; zero until rated.
    pub rating: u8,
    /// Shard of the vault that holds the escrow.
    pub shard: u8,
    /// Seconds of silence after which the host counts as offline.
    pub offline_after: u16,
    pub renter: Address,
    pub listing: Address,
    pub mint: Address,
    /// SHA-256 of the order document.
    pub order_hash: [u8; 32],
    pub nonce: u64,
    /// What the renter has put in.
    pub deposit: u64,
    /// Base units per hour that the renter pays, fees and burn included.
    pub rate: u64,
    /// Base units per hour from the subsidy pool.
    pub subsidy_rate: u64,
    pub burn_rate: u64,
    /// Base units per hour that the market takes from both sides.
    pub fee_rate: u64,
    pub created_at: i64,
    /// Zero until the host starts the machine.
    pub started_at: i64,
    /// Seconds paid for.
    pub duration: u32,
    /// Seconds the host has been paid for.
    pub settled: u32,
    pub seq: u32,
    pub holdback_bps: u16,
    pub provision_timeout: u16,
    pub tip_lamports: u32,
    /// Micro-USD per machine-hour when opened.
    pub rate_usd: u32,
}

const _: () = assert!(size_of::<Rental>() + 8 == 232);

#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq, Debug)]
pub enum RentalKind {
    OnDemand,
    Spot,
    Reserved,
}

#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq, Debug)]
pub enum RentalState {
    Queued,
    Provisioning,
    Running,
}

/// Why a rental ended.
#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq, Debug)]
pub enum CloseReason {
    /// The paid time ran out.
    Expired,
    /// The renter stopped a running rental.
    Stopped,
    /// The renter withdrew before the start.
    Withdrawn,
    /// The host did not start in time.
    ProvisionTimeout,
    /// The host's heartbeats stopped.
    HostOffline,
    /// The host gave up: a fault of the machine.
    HostFault,
    /// The host gave up: maintenance.
    HostMaintenance,
    /// The host will not run this order.
    OrderRefused,
    /// A higher bid or an order at full price took the machine.
    Preempted,
    /// A better order took the place of one that waited.
    Outbid,
    /// The order waited and the machine never came.
    TakeOverTimeout,
}

/// What a renter finds wrong with a machine.
#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq, Debug)]
pub enum RentalIssue {
    /// It cannot be reached, or no longer.
    Unreachable,
    /// It is not what the listing says.
    NotAsListed,
    /// It is slower than such a machine is.
    Slow,
    /// Its network fails or is slow.
    Network,
    Other,
}

/// Per-hour rates of an order in base units; `rate + subsidy = host + fee + burn`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    pub rate: u64,
    pub subsidy: u64,
    pub burn: u64,
    pub fee: u64,
}

/// What the market takes from an order: half of `bps` comes on top of the price, half (and `extra_bps`) out of the
/// host's payout. Each side's half falls by its discount.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fees {
    pub bps: u16,
    pub extra_bps: u16,
    pub renter_discount_bps: u64,
    pub host_discount_bps: u64,
}

impl Fees {
    /// The renter's fee on `price`, rounded up.
    pub fn of_renter_ceil(&self, price: u64) -> Result<u64> {
        discounted_ceil(price, self.bps / 2, self.renter_discount_bps, 0)
    }

    /// The host's fee on `price`, rounded up.
    pub fn of_host_ceil(&self, price: u64) -> Result<u64> {
        let half = self.bps.saturating_sub(self.bps / 2);
        discounted_ceil(price, half, self.host_discount_bps, self.extra_bps)
    }
}

/// `bps` of `price` less the discount, and `extra_bps` of it, rounded up once.
fn discounted_ceil(price: u64, bps: u16, discount_bps: u64, extra_bps: u16) -> Result<u64> {
    if discount_bps == 0 {
        return math::share_ceil(price, bps.saturating_add(extra_bps));
    }
    const WHOLE: u64 = BPS * BPS;
    let share = u64::from(bps).saturating_mul(BPS.saturating_sub(discount_bps));
    math::mul_div_ceil(price, share.saturating_add(u64::from(extra_bps).saturating_mul(BPS)), WHOLE)
}

impl Rates {
    /// Rates at a market price of `price` base units per hour; the burn is `burn_bps` of all that the renter pays.
    pub fn at(price: u64, fees: &Fees, subsidy_bps: u16, burn_bps: u16) -> Result<Self> {
        let renter_fee = fees.of_renter_ceil(price)?;
        let host_fee = fees.of_host_ceil(price)?;
        let subsidy = math::share_floor(price, subsidy_bps)?;
        let unburned = math::sub(math::add(price, renter_fee)?, subsidy)?;
        let rate = math::mul_div_ceil(unburned, BPS, BPS.saturating_sub(burn_bps.into()))?;
        let burn = math::sub(rate, unburned)?;
        // An order whose rates cannot be added could be opened for a short time and never be divided.
        math::add(rate, subsidy)?;
        Ok(Self { rate, subsidy, burn, fee: math::add(renter_fee, host_fee)? })
    }
}

impl RentalKind {
    pub const fn is_valid_term(self, seconds: u32) -> bool {
        match self {
            Self::Reserved => {
                seconds == RESERVED_TERMS[0] || seconds == RESERVED_TERMS[1] || seconds == RESERVED_TERMS[2]
            }
            Self::OnDemand | Self::Spot => true,
        }
    }
}

impl Rental {
    pub fn is(&self, state: RentalState) -> bool {
        self.state == state as u8
    }

    pub fn current_state(&self) -> RentalState {
        if self.is(RentalState::Running) {
            RentalState::Running
        } else if self.is(RentalState::Provisioning) {
            RentalState::Provisioning
        } else {
            RentalState::Queued
        }
    }

    pub fn is_reserved(&self) -> bool {
        self.kind == RentalKind::Reserved as u8
    }

    pub fn require_state(&self, state: RentalState) -> Result<()> {
        require!(self.is(state), MarketError::WrongRentalState);
        Ok(())
    }

    pub fn require_renter(&self, signer: &Address) -> Result<()> {
        require!(address_eq(&self.renter, signer), MarketError::WrongRenter);
        Ok(())
    }

    /// The least spot bid that beats this rental: its price and the market's increment on it, rounded up.
    pub fn least_bid_usd(&self, increment_bps: u16) -> Result<u64> {
        let rate = u64::from(self.rate_usd);
        math::add(rate, math::share_ceil(rate, increment_bps)?.max(1))
    }

    /// Requires that an order of `kind` displaces this rental: only spot gives way, to a bid that is high enough or to
    /// an order at full price.
    pub fn require_beaten_by(&self, kind: RentalKind, bid_usd: u64, increment_bps: u16) -> Result<()> {
        require!(self.kind == RentalKind::Spot as u8, MarketError::ListingOccupied);
        if kind == RentalKind::Spot {
            require!(bid_usd >= self.least_bid_usd(increment_bps)?, MarketError::BidTooLow);
        }
        Ok(())
    }

    /// When the paid time of a running rental ends.
    pub fn paid_until(&self) -> i64 {
        self.started_at.saturating_add(self.duration.into())
    }

    /// Last moment at which the host may still start.
    pub fn start_by(&self) -> i64 {
        self.created_at.saturating_add(self.provision_timeout.into())
    }

    /// Seconds of paid time used at `at`.
    pub fn used_at(&self, at: i64) -> u32 {
        if self.is(RentalState::Running) {
            math::seconds_between(self.started_at, at).min(self.duration)
        } else {
            0
        }
    }

    /// What the renter owes for `seconds`, rounded up.
    pub fn spent_ceil(&self, seconds: u32) -> Result<u64> {
        math::accrued_ceil(self.rate, seconds)
    }

    /// What the subsidy pool owes for `seconds`, rounded up.
    pub fn subsidy_ceil(&self, seconds: u32) -> Result<u64> {
        math::accrued_ceil(self.subsidy_rate, seconds)
    }

    /// What is burned for `seconds`, rounded down.
    pub fn burned_floor(&self, seconds: u32) -> Result<u64> {
        math::accrued_floor(self.burn_rate, seconds)
    }

    /// What the host earns in `seconds`, rounded down, holdback included.
    pub fn earned_floor(&self, seconds: u32) -> Result<u64> {
        let host_rate = math::sub(math::add(self.rate, self.subsidy_rate)?, math::add(self.burn_rate, self.fee_rate)?)?;
        math::accrued_floor(host_rate, seconds)
    }

    /// What the host may be paid for `seconds` while the rental runs: earnings less the holdback, rounded down.
    pub fn payable_floor(&self, seconds: u32) -> Result<u64> {
        let released = BPS.saturating_sub(self.holdback_bps.into());
        math::mul_div_floor(self.earned_floor(seconds)?, released, BPS)
    }

    /// Base units of this rental that the vault still holds.
    pub fn escrow(&self) -> Result<u64> {
        let came = math::add(self.deposit, self.subsidy_ceil(self.duration)?)?;
        math::sub(came, self.payable_floor(self.settled)?)
    }

    /// Divides the remaining escrow after `used` seconds. When the host is at fault the holdback goes to the renter.
    pub fn split(&self, used: u32, host_at_fault: bool) -> Result<Split> {
        let spent = self.spent_ceil(used)?;
        let subsidy = self.subsidy_ceil(used)?;
        let burned = self.burned_floor(used)?;
        let earned = self.earned_floor(used)?;
        let fees = math::sub(math::add(spent, subsidy)?, math::add(burned, earned)?)?;
        let payable = if host_at_fault { self.payable_floor(used)? } else { earned };
        let compensation = math::sub(earned, payable)?;
        Ok(Split {
            paid: math::sub(payable, self.payable_floor(self.settled)?)?,
            fees,
            burned,
            refunded: math::add(math::sub(self.deposit, spent)?, compensation)?,
            subsidy_returned: math::sub(self.subsidy_ceil(self.duration)?, subsidy)?,
        })
    }

    /// Micro-USD of machine time in `seconds`, rounded down.
    pub fn used_usd_floor(&self, seconds: u32) -> Result<u64> {
        math::accrued_floor(self.rate_usd.into(), seconds)
    }

    /// Micro-USD of machine time that the renter has paid for in `seconds`: without the subsidy's part, rounded
    /// down.
    pub fn paid_usd_floor(&self, seconds: u32) -> Result<u64> {
        let came = math::add(self.rate, self.subsidy_rate)?;
        math::mul_div_floor(self.used_usd_floor(seconds)?, self.rate, came)
    }

    pub fn next_seq(&mut self) -> u32 {
        self.seq = self.seq.wrapping_add(1);
        self.seq
    }
}

#[cfg(test)]
#[allow(non_snake_case, clippy::arithmetic_side_effects)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rental(rates: Rates, duration: u32, settled: u32, holdback_bps: u16) -> Rental {
        let mut rental: Rental = anchor_lang::bytemuck::Zeroable::zeroed();
        rental.state = RentalState::Running as u8;
        rental.rate = rates.rate;
        rental.subsidy_rate = rates.subsidy;
        rental.burn_rate = rates.burn;
        rental.fee_rate = rates.fee;
        rental.duration = duration;
        rental.settled = settled;
        rental.holdback_bps = holdback_bps;
        rental.deposit = rental.spent_ceil(duration).unwrap();
        rental
    }

    fn fees(bps: u16, extra_bps: u16, renter_discount_bps: u64, host_discount_bps: u64) -> Fees {
        Fees { bps, extra_bps, renter_discount_bps, host_discount_bps }
    }

    prop_compose! {
        fn any_rates()(
            price in 1u64..1 << 48, fee in 0u16..=3_000, extra in 0u16..=3_000, subsidy in 0u16..=8_500, burn in 0u16..=5_000
        ) -> (u64, Rates) {
            (price, Rates::at(price, &fees(fee, extra, 0, 0), subsidy, burn).unwrap())
        }
    }

    proptest! {
        #[test]
        fn rates__any_terms__what_comes_in_is_what_goes_out(
            price in 1u64..1 << 48, fee in 0u16..=3_000, extra in 0u16..=3_000, subsidy in 0u16..=8_500, burn in 0u16..=5_000,
            renter in 0u64..=5_000, host in 0u64..=5_000
        ) {
            let fees = fees(fee, extra, renter, host);
            let rates = Rates::at(price, &fees, subsidy, burn).unwrap();
            let host_fee = fees.of_host_ceil(price).unwrap();
            prop_assert_eq!(rates.rate + rates.subsidy, price - host_fee + rates.fee + rates.burn);
            let least = math::share_floor(rates.rate, burn).unwrap();
            prop_assert!(rates.burn == least || rates.burn == least + 1);
        }

        #[test]
        fn split__any_moment__keeps_the_money_equation(
            (_, rates) in any_rates(), duration in 60u32..10_800_000, used in 0u32..10_800_000, settled in 0u32..10_800_000,
            holdback in 0u16..=5_000, fault: bool
        ) {
            let used = used.min(duration);
            let rental = rental(rates, duration, settled.min(used), holdback);
            let split = rental.split(used, fault).unwrap();
            let came = rental.deposit + rental.subsidy_ceil(duration).unwrap();
            let before = rental.payable_floor(rental.settled).unwrap();
            let went = split.paid + split.fees + split.burned + split.refunded + split.subsidy_returned;
            prop_assert_eq!(came, before + went);
            prop_assert_eq!(rental.escrow().unwrap(), went);
            if used == duration && !fault {
                prop_assert_eq!((split.refunded, split.subsidy_returned), (0, 0));
            }
        }

        #[test]
        fn settle__in_two_steps__pays_what_one_step_pays(
            (_, rates) in any_rates(), duration in 60u32..10_800_000, a in 0u32..10_800_000, b in 0u32..10_800_000, holdback in 0u16..=5_000
        ) {
            let rental = rental(rates, duration, 0, holdback);
            let (a, b) = (a.min(b).min(duration), a.max(b).min(duration));
            prop_assert!(rental.payable_floor(a).unwrap() <= rental.payable_floor(b).unwrap());
            prop_assert!(rental.payable_floor(b).unwrap() <= rental.earned_floor(b).unwrap());
        }

        #[test]
        fn extension__any_split_of_the_time__costs_what_one_order_costs(
            (_, rates) in any_rates(), first in 60u32..5_000_000, more in 1u32..5_000_000
        ) {
            let mut short = rental(rates, first, 0, 0);
            let added = short.spent_ceil(first + more).unwrap() - short.deposit;
            short.deposit += added;
            prop_assert_eq!(short.deposit, rental(rates, first + more, 0, 0).deposit);
        }
    }

    #[test]
    fn fees__with_discounts__fall_linearly_on_each_side_and_round_up() {
        for (price, bps, discount, fee) in [
            (1_000_000, 1_000, 0, 50_000),
            (1_000_000, 1_000, 2_500, 37_500),
            (1_000_000, 1_000, 5_000, 25_000),
            (1_000_000, 250, 5_000, 6_250),
            (1, 1_000, 5_000, 1),
            (0, 1_000, 5_000, 0),
        ] {
            assert_eq!(fees(bps, 0, discount, 0).of_renter_ceil(price), Ok(fee));
            assert_eq!(fees(bps, 0, 0, discount).of_host_ceil(price), Ok(fee));
        }
    }

    #[test]
    fn paid_usd__with_and_without_subsidy__is_the_renters_part_of_the_time() {
        for (rate, subsidy, seconds, paid) in
            [(1_000, 0, 3_600, 2_000_000), (250, 750, 3_600, 500_000), (250, 750, 1_801, 250_138), (1, 2, 0, 0)]
        {
            let mut rental = rental(Rates { rate, subsidy, burn: 0, fee: 0 }, 7_200, 0, 0);
            rental.rate_usd = 2_000_000;
            assert_eq!(rental.paid_usd_floor(seconds), Ok(paid));
        }
    }

    #[test]
    fn used_at__edges__stays_within_the_paid_time() {
        let mut rental = rental(Rates { rate: 1, subsidy: 0, burn: 0, fee: 0 }, 100, 0, 0);
        rental.started_at = 1_000;
        for (at, used) in [(999, 0), (1_000, 0), (1_001, 1), (1_099, 99), (1_100, 100), (1_101, 100)] {
            assert_eq!(rental.used_at(at), used);
        }
        rental.state = RentalState::Provisioning as u8;
        assert_eq!(rental.used_at(1_050), 0);
    }

    #[test]
    fn least_bid__table__is_the_rate_and_the_increment_rounded_up() {
        let mut rental = rental(Rates { rate: 1, subsidy: 0, burn: 0, fee: 0 }, 100, 0, 0);
        for (rate, increment, least) in [
            (1_000_000, 500, 1_050_000),
            (1_000_001, 500, 1_050_002),
            (1, 1, 2),
            (0, 500, 1),
            (10_000, 1, 10_001),
            (10_001, 1, 10_003),
            (u32::MAX, 5_000, 6_442_450_943),
        ] {
            rental.rate_usd = rate;
            assert_eq!(rental.least_bid_usd(increment), Ok(least), "{rate} {increment}");
        }
    }

    #[test]
    fn beaten_by__each_pair_of_kinds__only_spot_gives_way() {
        use RentalKind::*;
        let mut rental = rental(Rates { rate: 1, subsidy: 0, burn: 0, fee: 0 }, 100, 0, 0);
        rental.rate_usd = 1_000_000;
        for (holder, kind, bid, is_beaten) in [
            (Spot, Spot, 1_049_999, false),
            (Spot, Spot, 1_050_000, true),
            (Spot, OnDemand, 0, true),
            (Spot, Reserved, 0, true),
            (OnDemand, Spot, u64::MAX, false),
            (OnDemand, OnDemand, 0, false),
            (OnDemand, Reserved, 0, false),
            (Reserved, Spot, u64::MAX, false),
            (Reserved, OnDemand, 0, false),
        ] {
            rental.kind = holder as u8;
            assert_eq!(rental.require_beaten_by(kind, bid, 500).is_ok(), is_beaten, "{holder:?} {kind:?} {bid}");
        }
    }

    #[test]
    fn reserved_terms__around_each__only_the_exact_ones() {
        for days in [7u32, 30, 90] {
            let term = days * 86_400;
            assert!(RentalKind::Reserved.is_valid_term(term));
            assert!(!RentalKind::Reserved.is_valid_term(term - 1) && !RentalKind::Reserved.is_valid_term(term + 1));
        }
        assert!(RentalKind::OnDemand.is_valid_term(61));
    }
}
