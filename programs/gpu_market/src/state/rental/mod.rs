mod money;
mod price;

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
    /// Deposit of the renter; once it has ended, what they are still owed.
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
    /// Seconds of use, up to the latest, whose holdback is at risk.
    pub holdback_window: u32,
    /// Seconds from `created_at` to the host's acceptance.
    pub accepted_after: u32,
    /// Least seconds that the renter pays for once the machine has been prepared.
    pub min_charge: u16,
    /// Seconds from `created_at` after which a host that has not started is owed nothing for preparing.
    pub promise: u16,
    /// The renter's fee on the price, discount taken off, rounded down.
    pub renter_fee_bps: u16,
    /// Discount of a reserved rental from the listing's price on demand.
    pub discount_bps: u16,
    /// Seconds in which the renter may contest that their command has ended.
    pub finish_window: u32,
    /// True if the renter lets the host end the rental once their command has ended.
    pub may_finish: u8,
    /// Exit code of the command, once it has ended.
    pub exit_code: u8,
    /// True if it has paid its least charge to a holder that it displaced.
    pub compensated: u8,
    /// True if the stake of one side has lowered its fee.
    pub has_discount: u8,
    /// The day whose budget of the host has last paid for the subsidy, by its number; zero without one.
    pub subsidy_day: u16,
    /// True if its renter has reported, with weight, that the machine is not as listed.
    pub not_as_listed: u8,
    /// True if its renter has opened a meter, which notes the end: see [`Meter::end`].
    pub has_meter: u8,
    /// True if it was a request whose matcher, noted by its listing, has still to be paid: until its start.
    pub is_matched: u8,
    /// True if it waited for the machine before it took it: its renter does not leave it unstarted for nothing.
    pub took_over: u8,
    pub reserved_end: [u8; 2],
}

const _: () = assert!(size_of::<Rental>() + 8 == 264);

#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum RentalState {
    Queued,
    Provisioning,
    Running,
    /// Over, and kept as the record of what the renter could not be paid.
    Ended,
    /// Over, since its command has ended, and kept with what is held back until its renter may contest that no longer.
    Finished,
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
        } else if self.is(RentalState::Ended) {
            RentalState::Ended
        } else if self.is(RentalState::Finished) {
            RentalState::Finished
        } else {
            RentalState::Queued
        }
    }

    /// True if the rental is over, and the account but a record of what is still owed.
    pub fn has_ended(&self) -> bool {
        self.is(RentalState::Ended) || self.is(RentalState::Finished)
    }

    /// Requires that the host may end the rental at `now` because its command has ended.
    pub fn require_may_finish(&self, now: i64) -> Result<()> {
        self.require_state(RentalState::Running)?;
        require!(self.may_finish != 0, MarketError::FinishNotAgreed);
        require!(now < self.paid_until(), MarketError::RentalExpired);
        Ok(())
    }

    /// The rental is over after `used` seconds, for which the host has been paid but for the holdback.
    pub fn finish(&mut self, used: u32) {
        self.state = RentalState::Finished as u8;
        self.settled = used;
        self.deposit = 0;
    }

    /// Until when the renter may contest that a rental finished after `used` seconds.
    pub fn contest_by(&self, used: u32) -> i64 {
        self.started_at.saturating_add(used.into()).saturating_add(self.finish_window.into())
    }

    /// From when what is held back is lost to a host whose own account cannot take it: after a second window.
    pub fn holdback_lapses_at(&self) -> i64 {
        self.contest_by(self.settled).saturating_add(self.finish_window.into())
    }

    /// Requires a finished rental and that its renter may, or may no longer, contest it at `now`.
    pub fn require_contestable(&self, now: i64, may: bool) -> Result<()> {
        self.require_state(RentalState::Finished)?;
        let is_open = now < self.contest_by(self.settled);
        require!(is_open || !may, MarketError::ContestWindowOver);
        require!(!is_open || may, MarketError::ContestWindowOpen);
        Ok(())
    }

    /// Seconds that a rating at `at` speaks of: those used so far, or all of a finished rental that its renter may still
    /// contest.
    pub fn rateable_seconds(&self, at: i64) -> Result<u32> {
        if self.is(RentalState::Finished) {
            self.require_contestable(at, true)?;
            return Ok(self.settled);
        }
        self.require_state(RentalState::Running)?;
        Ok(self.used_at(at))
    }

    /// True if it was a request whose matcher has still to be paid, with a tip as large as the rental's own: until its start.
    pub fn owes_matcher(&self) -> bool {
        self.is_matched != 0
    }

    /// Lamports for whoever ends it for `reason`. Of a match that never started it is what a transaction costs, and no
    /// more: else a host would be paid, by its other wallet, for letting the requests of others lapse.
    pub fn tip_for(&self, reason: CloseReason) -> u32 {
        if reason.forfeits_tip() {
            0
        } else if reason == CloseReason::ProvisionTimeout && self.owes_matcher() {
            self.tip_lamports.min(SIGNATURE_LAMPORTS)
        } else {
            self.tip_lamports
        }
    }

    /// The rental is over, and its renter could not be paid `amount`.
    pub fn owe(&mut self, amount: u64) {
        self.state = RentalState::Ended as u8;
        self.deposit = amount;
    }

    pub fn require_live(&self) -> Result<()> {
        require!(!self.has_ended(), MarketError::WrongRentalState);
        Ok(())
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

    /// True if a report at `at` that the machine is not as listed may count: soon after the start.
    pub fn is_reportable(&self, at: i64) -> bool {
        let until = self.started_at.saturating_add(REPORT_WINDOW.into());
        self.is(RentalState::Running) && at < until
    }

    pub fn is_not_as_listed(&self) -> bool {
        self.not_as_listed != 0
    }

    /// Least seconds that the renter pays for, unless the machine is not as listed. An order that has waited for the
    /// machine pays them all the same: else a report would be the way to take it from others for less.
    fn least_charge(&self) -> u32 {
        if self.is_not_as_listed() && self.took_over == 0 {
            return 0;
        }
        self.min_charge.into()
    }

    /// True if it has taken a machine that it waited for, whose host is not late to start at `now`.
    fn is_in_turn(&self, now: i64) -> bool {
        self.took_over != 0 && now <= self.start_by()
    }

    /// Seconds that the renter pays for when the rental ends for `reason` at `now`, after `used` seconds of the paid
    /// time: once it runs no fewer than the least charge, unless the host ended it or failed. An order that has waited for the
    /// machine pays that before its start too, whether its renter leaves or the next order displaces it, until its host is
    /// late: else two wallets took the machine from others and from each other for nothing. Whoever stops a reserved rental
    /// early gives its discount back, in seconds at the discounted rates.
    pub fn charged(&self, reason: CloseReason, used: u32, now: i64) -> Result<u32> {
        let least = self.least_charge();
        Ok(match reason {
            CloseReason::Stopped => self.undiscounted_ceil(used.max(least))?,
            CloseReason::Preempted if self.is(RentalState::Running) || self.is_in_turn(now) => used.max(least),
            CloseReason::Withdrawn => self.charged_before_start(now),
            _ => used,
        })
    }

    /// Seconds that a renter pays for who leaves at `now`, before the start: as long as the host has been preparing, and no
    /// more than the least charge; all of that for a machine that they have waited for.
    fn charged_before_start(&self, now: i64) -> u32 {
        let least = self.least_charge();
        if self.is_in_turn(now) {
            return least;
        }
        self.prepared_at(now).min(least)
    }

    /// The rental takes at `now` the machine that it has waited for, and its host's time to start begins.
    pub fn take_over(&mut self, now: i64) {
        self.created_at = now;
        self.took_over = 1;
    }

    /// Seconds for which the host has been preparing the machine at `now`; none once it has not started by the time it
    /// promises.
    fn prepared_at(&self, now: i64) -> u32 {
        let promised_at = self.created_at.saturating_add(self.promise.into());
        if !self.is(RentalState::Provisioning) || now > promised_at {
            return 0;
        }
        math::seconds_between(self.created_at.saturating_add(self.accepted_after.into()), now)
    }

    /// Seconds of paid time that count at `at`: no fewer than the host has been paid for, should the clock go back.
    pub fn owed_at(&self, at: i64) -> u32 {
        self.used_at(at).max(self.settled)
    }

    /// Seconds of this rental that cost what `seconds` do without its discount, rounded up; at most all that are paid.
    fn undiscounted_ceil(&self, seconds: u32) -> Result<u32> {
        if self.discount_bps == 0 {
            return Ok(seconds);
        }
        let paid_share = BPS.saturating_sub(self.discount_bps.into());
        let seconds = math::mul_div_ceil(seconds.into(), BPS, paid_share)?;
        Ok(u32::try_from(seconds).unwrap_or(u32::MAX).min(self.duration))
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

    pub fn rental(rates: Rates, duration: u32, settled: u32, holdback_bps: u16) -> Rental {
        let mut rental: Rental = anchor_lang::bytemuck::Zeroable::zeroed();
        rental.state = RentalState::Running as u8;
        rental.rate = rates.rate;
        rental.subsidy_rate = rates.subsidy;
        rental.burn_rate = rates.burn;
        rental.fee_rate = rates.fee;
        rental.duration = duration;
        rental.settled = settled;
        rental.holdback_bps = holdback_bps;
        rental.holdback_window = 86_400;
        rental.deposit = rental.spent_ceil(duration).unwrap();
        rental
    }

    #[test]
    fn used_at__edges__stays_within_the_paid_time() {
        let mut rental = rental(Rates { rate: 1, subsidy: 0, burn: 0, fee: 0 }, 100, 0, 0);
        rental.started_at = 1_000;
        for (at, used) in [(999, 0), (1_000, 0), (1_001, 1), (1_099, 99), (1_100, 100), (1_101, 100)] {
            assert_eq!(rental.used_at(at), used);
        }
        rental.settled = 50;
        assert_eq!([1_049, 1_051].map(|at| rental.owed_at(at)), [50, 51]);
        rental.state = RentalState::Provisioning as u8;
        assert_eq!(rental.used_at(1_050), 0);
    }

    #[test]
    fn is_reportable__around_an_hour_after_the_start__ends_with_it() {
        let mut rental = rental(Rates { rate: 1, subsidy: 0, burn: 0, fee: 0 }, 10_000, 0, 0);
        rental.started_at = 1_000;
        for (at, may) in [(1_000, true), (4_599, true), (4_600, false), (4_601, false)] {
            assert_eq!(rental.is_reportable(at), may, "{at}");
        }
        rental.state = RentalState::Provisioning as u8;
        assert!(!rental.is_reportable(1_000));
    }

    #[test]
    fn charged__not_as_listed__waives_the_least_charge_and_nothing_else() {
        let mut rental = rental(Rates { rate: 1, subsidy: 0, burn: 0, fee: 0 }, 100_000, 0, 0);
        rental.min_charge = 60;
        for (flag, used, charged) in [(0, 7, 60), (1, 7, 7), (0, 61, 61), (1, 61, 61), (1, 0, 0)] {
            rental.not_as_listed = flag;
            for reason in [CloseReason::Stopped, CloseReason::Preempted] {
                assert_eq!(rental.charged(reason, used, 0), Ok(charged), "{flag} {used}");
            }
        }
        rental.discount_bps = 1_000;
        assert_eq!(rental.charged(CloseReason::Stopped, 9, 0), Ok(10));
    }

    #[test]
    fn charged__reserved_rental__gives_the_discount_back_only_when_its_renter_stops_it() {
        let mut rental = rental(Rates { rate: 1, subsidy: 0, burn: 0, fee: 0 }, 100_000, 0, 0);
        for (discount_bps, used, charged) in [
            (0, 12_345, 12_345),
            (1_000, 0, 0),
            (1_000, 9, 10),
            (1_000, 10, 12),
            (1_000, 89_999, 99_999),
            (1_000, 90_000, 100_000),
            (1_000, 90_001, 100_000),
            (5_000, 49_999, 99_998),
            (3_333, 2, 3),
        ] {
            rental.discount_bps = discount_bps;
            assert_eq!(rental.charged(CloseReason::Stopped, used, 0), Ok(charged), "{discount_bps} {used}");
            for reason in [CloseReason::Expired, CloseReason::HostOffline, CloseReason::HostFault] {
                assert_eq!(rental.charged(reason, used, 0), Ok(used));
            }
        }
        rental.duration = u32::MAX;
        assert_eq!(rental.charged(CloseReason::Stopped, u32::MAX - 1, 0), Ok(u32::MAX));
    }
}
