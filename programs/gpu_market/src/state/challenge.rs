//! The order that waits for a machine, and its holder's grace. The grace is the holder's: only time in which an order waits
//! uses it up, and no order that comes and goes gives it back.

use crate::*;

impl Listing {
    pub fn has_challenger(&self) -> bool {
        self.preempt_at != 0
    }

    /// True if the order that waits has won: its holder's grace is over.
    pub fn is_take_over_due(&self, now: i64) -> bool {
        self.has_challenger() && now >= self.preempt_at
    }

    /// True if an order that waited for the machine was withdrawn within a quarter of an hour, whoever holds it by now.
    fn is_contested(&self, now: i64) -> bool {
        now < self.challenge_from.saturating_add(GRACE_MEMORY)
    }

    /// True if the holder has been warned lately: an order that waited for them to leave was withdrawn.
    fn is_warned(&self, now: i64) -> bool {
        self.grace_left < self.spot_grace && self.is_contested(now)
    }

    /// Seconds that an order waits which begins to at `now`: the holder's grace, or the rest of it once they have been
    /// warned.
    fn grace_at(&self, now: i64) -> u16 {
        if !self.is_warned(now) {
            return self.spot_grace;
        }
        self.grace_left.max(LEAST_GRACE.min(self.spot_grace))
    }

    /// A rental begins at `now` to wait for the machine that another one holds. Only the first in a quarter of an hour
    /// may leave before its turn: else a holder's second wallet could keep the place from all others, for nothing. That
    /// the holder has left and come back meanwhile changes nothing.
    pub fn challenge(&mut self, rental: &Address, now: i64) -> Result<()> {
        let is_bound = self.is_contested(now);
        self.wait(rental, now.saturating_add(self.grace_at(now).into()), is_bound, now)
    }

    /// A rental begins to wait in the place of one that it has outbid, and until the same moment. It may not leave
    /// before its turn, or that one would have made way for nobody.
    pub fn replace_challenger(&mut self, rental: &Address, preempt_at: i64, now: i64) -> Result<()> {
        self.wait(rental, preempt_at, true, now)
    }

    fn wait(&mut self, rental: &Address, preempt_at: i64, is_bound: bool, now: i64) -> Result<()> {
        require!(!self.is_idle(), MarketError::TakeOverDue);
        require!(!self.has_challenger(), MarketError::ChallengerWaiting);
        require!(now >= self.challenge_from, MarketError::JustWithdrawn);
        self.challenger = *rental;
        self.preempt_at = preempt_at;
        self.is_bound = is_bound.into();
        Ok(())
    }

    /// Whom the order that waits compensates though they hold the machine no more: the rental that the host ended
    /// meanwhile, and its renter's wallet.
    pub fn departed(&self) -> Option<(Address, Address)> {
        let has_departed = !address_eq(&self.departed, &Address::default());
        has_departed.then_some((self.departed, self.departed_renter))
    }

    /// The rental that waits for the machine stops waiting; whoever takes its place keeps to the returned moment.
    pub fn drop_challenger(&mut self, rental: &Address) -> Result<i64> {
        require!(self.has_challenger() && address_eq(&self.challenger, rental), MarketError::WrongChallenger);
        self.challenger = Address::default();
        self.is_bound = 0;
        (self.departed, self.departed_renter) = Default::default();
        Ok(core::mem::take(&mut self.preempt_at))
    }

    /// The renter of the `rental` that waits takes it back at `now`. The next one begins to wait a second later at the
    /// earliest, so that nobody exchanges their orders in one transaction, or in a bundle of them. A free machine whose
    /// host is heard from is its own, also while the host has something to claim: else a holder who leaves could keep it
    /// from all others until they have come back. Nothing binds an order that has waited past its turn for longer than a
    /// host may take to start, which is anyone's to take back.
    pub fn withdraw_challenger(&mut self, rental: &Account<Rental>, now: i64) -> Result<()> {
        self.withdraw(rental.address(), rental, now)
    }

    fn withdraw(&mut self, address: &Address, rental: &Rental, now: i64) -> Result<()> {
        let is_held = !self.is_idle();
        let is_bound = self.is_bound != 0;
        let preempt_at = self.drop_challenger(address)?;
        require!(now > rental.created_at, MarketError::JustPlaced);
        let is_late = now > preempt_at.saturating_add(rental.provision_timeout.into());
        if is_held {
            require!(!is_bound || is_late, MarketError::OrderBound);
            let left = math::seconds_between(now, preempt_at).min(self.spot_grace.into());
            self.grace_left = u16::try_from(left).map_err(|_| MarketError::MathOverflow)?;
            self.challenge_from = now.saturating_add(1);
        } else {
            let is_takeable = self.require_heard(now, rental.offline_after).is_ok();
            require!(is_late || !is_takeable, MarketError::TakeOverDue);
        }
        Ok(())
    }

    /// The rental that waits takes the machine that nobody holds any more. A silent machine is not handed over: its
    /// heartbeats count for nothing while it is held.
    pub fn hand_over(&mut self, rental: &Address, offline_after: u16, market: &Market, now: i64) -> Result<()> {
        self.drop_challenger(rental)?;
        self.require_heard(now, offline_after)?;
        self.occupy(rental, offline_after, market)
    }
}

#[cfg(test)]
#[allow(non_snake_case, clippy::arithmetic_side_effects)]
mod tests {
    use super::*;
    use anchor_lang::bytemuck::Zeroable;

    const GRACE: i64 = 90;
    const ALLOWED: u16 = 300;
    const TIMEOUT: u16 = 900;

    fn rental(number: u8) -> Address {
        Address::new_from_array([number; 32])
    }

    fn order(placed_at: i64) -> Rental {
        let mut order = Rental::zeroed();
        (order.created_at, order.offline_after, order.provision_timeout) = (placed_at, ALLOWED, TIMEOUT);
        order
    }

    fn held() -> Listing {
        let mut market = Market::zeroed();
        market.spot_grace = GRACE as u16;
        let mut listing = Listing::zeroed();
        listing.occupy(&rental(1), 300, &market).unwrap();
        listing
    }

    /// Held, with an order withdrawn at `at`, `waited` seconds after it began to wait.
    fn withdrawn(at: i64, waited: i64) -> Listing {
        let mut listing = held();
        listing.challenge(&rental(2), at - waited).unwrap();
        listing.withdraw(&rental(2), &order(at - waited), at).unwrap();
        listing
    }

    #[test]
    fn challenge__after_a_withdrawal__waits_for_the_rest_of_the_grace() {
        for (waited, passed, grace, bound) in [
            (1, 1, 89, 1),
            (60, 1, 30, 1),
            (61, 1, 30, 1),
            (89, 1, 30, 1),
            (200, 1, 30, 1),
            (30, GRACE_MEMORY, 60, 1),
            (30, GRACE_MEMORY + 1, 90, 0),
        ] {
            let mut listing = withdrawn(10_000, waited);
            listing.challenge(&rental(3), 10_000 + passed).unwrap();
            assert_eq!((listing.preempt_at - 10_000 - passed, listing.is_bound), (grace, bound), "{waited} {passed}");
        }
    }

    #[test]
    fn challenge__grace_below_the_least__waits_for_all_of_it() {
        let mut listing = withdrawn(10_000, 5);
        (listing.spot_grace, listing.grace_left) = (20, 15);
        listing.challenge(&rental(3), 10_001).unwrap();
        assert_eq!(listing.preempt_at, 10_021);
    }

    #[test]
    fn challenge__next_holder__has_a_grace_of_their_own() {
        let mut listing = withdrawn(10_000, 80);
        listing.current = Address::default();
        let mut market = Market::zeroed();
        market.spot_grace = 120;
        listing.occupy(&rental(4), 300, &market).unwrap();
        listing.challenge(&rental(3), 10_001).unwrap();
        assert_eq!((listing.preempt_at, listing.is_bound), (10_121, 1));
    }

    #[test]
    fn withdraw_challenger__each_moment__is_allowed_or_refused() {
        let mut listing = held();
        listing.challenge(&rental(2), 1_000).unwrap();
        assert!(listing.withdraw(&rental(2), &order(1_000), 1_000).is_err(), "in the second of the order");
        let mut listing = withdrawn(1_001, 1);
        assert!(listing.challenge(&rental(3), 1_001).is_err(), "in the second of the withdrawal");
        listing.challenge(&rental(3), 1_002).unwrap();
        let mut idle = Listing { current: Address::default(), ..listing };
        assert!(listing.withdraw(&rental(3), &order(1_002), 1_050).is_err(), "bound");
        idle.withdraw(&rental(3), &order(1_002), 1_050).unwrap();
        assert_eq!((idle.challenge_from, idle.is_bound), (1_002, 0));
    }

    #[test]
    fn withdraw_challenger__free_machine_of_a_host_heard_from__only_once_it_is_late() {
        let mut idle = held();
        idle.challenge(&rental(2), 1_000).unwrap();
        let until = 1_000 + GRACE + i64::from(TIMEOUT);
        (idle.current, idle.last_heartbeat_at) = (Address::default(), until);
        for (at, is_refused) in [(until, true), (until + 1, false)] {
            let mut listing = Listing { ..idle };
            assert_eq!(listing.withdraw(&rental(2), &order(1_000), at).is_err(), is_refused, "{at}");
        }
    }

    #[test]
    fn withdraw_challenger__bound_on_a_held_machine__only_once_it_is_late() {
        let mut bound = withdrawn(1_001, 1);
        bound.challenge(&rental(3), 1_002).unwrap();
        let until = bound.preempt_at + i64::from(TIMEOUT);
        for (at, is_refused) in [(until, true), (until + 1, false)] {
            let mut listing = Listing { ..bound };
            assert_eq!(listing.withdraw(&rental(3), &order(1_002), at).is_err(), is_refused, "{at}");
        }
    }

    #[test]
    fn withdraw_challenger__free_machine__only_if_its_host_is_silent() {
        let mut idle = held();
        idle.challenge(&rental(2), 1_000).unwrap();
        idle.current = Address::default();
        for (heard_at, owed, is_refused) in
            [(700, 0, false), (700, 1, false), (701, 0, true), (1_000, 0, true), (1_000, 1, true)]
        {
            let mut listing = Listing { last_heartbeat_at: heard_at, owed, ..idle };
            let withdrawn = listing.withdraw(&rental(2), &order(1_000), 1_001);
            assert_eq!(withdrawn.is_err(), is_refused, "{heard_at} {owed}");
        }
    }
}
