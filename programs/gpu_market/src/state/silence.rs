//! When a host counts as silent. Silence is proven, not assumed: a halted cluster, or one that takes no transactions,
//! proves nothing.

use crate::*;

/// Presence of a listing's host. Anyone may mark a listing whose last heartbeat is too old. Its host then has the
/// answer window, in seconds and in slots, to be heard from; for as long again the silence can be acted on, or proven
/// for good by marking once more. After that the mark is void.
#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Silence {
    /// No mark since the last heartbeat.
    Heard,
    Marked,
    /// Proven: the host has been silent since its last heartbeat, until the next.
    Proven,
}

/// Seconds that a listing was visible or rented, and those of them that count as up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tracked {
    pub seconds: u64,
    pub up: u64,
}

/// The cluster's clock.
#[derive(Clone, Copy)]
pub struct Moment {
    pub at: i64,
    pub slot: u64,
}

impl Moment {
    pub fn now() -> Result<Self> {
        let clock = Clock::get()?;
        Ok(Self { at: clock.unix_timestamp, slot: clock.slot })
    }
}

impl Listing {
    /// True if the last heartbeat is, at `at`, older than `offline_after` seconds. It takes no orders then, but counts
    /// as up.
    pub fn overdue(&self, at: i64, offline_after: u16) -> bool {
        math::seconds_between(self.last_heartbeat_at, at) > offline_after.into()
    }

    /// Requires a heartbeat that is recent enough, and no doubt about it.
    pub fn require_heard(&self, at: i64, offline_after: u16) -> Result<()> {
        let heard = self.silence == Silence::Heard as u8 && !self.overdue(at, offline_after);
        require!(heard, MarketError::ListingOffline);
        Ok(())
    }

    fn is_marked(&self) -> bool {
        self.silence == Silence::Marked as u8
    }

    /// True if the host may still answer a mark.
    pub fn is_answer_pending(&self, now: &Moment) -> bool {
        let open = now.at < self.answer_by() || now.slot < self.answer_slot;
        self.is_marked() && open && !self.has_lapsed(now)
    }

    /// The one rule: the host did not answer in time, and has been silent since its last heartbeat.
    pub fn is_silent(&self, now: &Moment) -> bool {
        let unanswered = self.is_marked() && !self.is_answer_pending(now) && !self.has_lapsed(now);
        unanswered || self.silence == Silence::Proven as u8
    }

    /// When the host's time to answer the mark ends, if enough slots have passed.
    pub fn answer_by(&self) -> i64 {
        self.marked_at.saturating_add(self.answer_window.into())
    }

    /// A mark that nobody has acted on for as long again is void: transactions may not have come through.
    fn has_lapsed(&self, now: &Moment) -> bool {
        now.at >= self.answer_by().saturating_add(self.answer_window.into())
    }

    /// Marks an overdue listing, or proves its silence once the host has not answered; gives what it has become.
    pub fn mark(&mut self, market: &Market, now: &Moment) -> Result<Silence> {
        require!(self.silence != Silence::Proven as u8, MarketError::AlreadySilent);
        let is_idle = self.is_idle();
        let allowed = if is_idle { market.offline_after } else { self.offline_after };
        let is_overdue = self.last_heartbeat_at != 0 && self.overdue(now.at, allowed);
        require!(is_overdue, MarketError::HostOnline);
        require!(!self.is_answer_pending(now), MarketError::AnswerPending);
        if self.is_silent(now) {
            self.prove_silence();
            return Ok(Silence::Proven);
        }
        self.silence = Silence::Marked as u8;
        self.marked_at = now.at;
        if is_idle {
            self.answer_window = market.answer_window;
            self.answer_slots = market.answer_slots;
        }
        self.answer_slot = now.slot.saturating_add(self.answer_slots.into());
        Ok(Silence::Marked)
    }

    pub fn prove_silence(&mut self) {
        self.silence = Silence::Proven as u8;
    }

    /// The host is heard from at `now`; false when that counts for nothing: it has been heard by then, or is silent
    /// under a rental, until that ends, so that no late word is paid for the silence before it.
    pub fn hear(&mut self, now: &Moment) -> bool {
        if now.at <= self.last_heartbeat_at || (self.is_silent(now) && !self.is_idle()) {
            return false;
        }
        self.last_heartbeat_at = now.at;
        self.silence = Silence::Heard as u8;
        true
    }

    /// Counts a heartbeat; gives the time tracked since the last count. None when it counts for nothing.
    pub fn heartbeat(&mut self, now: &Moment) -> Option<Tracked> {
        let silent_since = self.silent_since(now);
        if !self.hear(now) {
            return None;
        }
        if self.counted_at == 0 {
            self.counted_at = now.at;
        }
        Some(self.track(now.at, silent_since))
    }

    /// Counts the time up to `now` as a heartbeat would; none before the first.
    pub fn count_time(&mut self, now: &Moment) -> Tracked {
        if self.counted_at == 0 {
            return Tracked::default();
        }
        self.track(now.at, self.silent_since(now))
    }

    fn silent_since(&self, now: &Moment) -> Option<i64> {
        self.is_silent(now).then_some(self.last_heartbeat_at)
    }

    /// Tracks the time up to `now` that the machine was visible or rented. All of it is up but for the proven silence.
    fn track(&mut self, now: i64, silent_since: Option<i64>) -> Tracked {
        let from = self.counted_at;
        let until = if self.unoffered_since == 0 { now } else { self.unoffered_since };
        let seconds = math::seconds_between(from, until);
        let down = silent_since.map_or(0, |since| math::seconds_between(since.max(from), until));
        let tracked = Tracked { seconds: seconds.into(), up: seconds.saturating_sub(down).into() };
        self.counted_at = from.max(now);
        self.tracked_seconds = self.tracked_seconds.wrapping_add(tracked.seconds);
        self.up_seconds = self.up_seconds.wrapping_add(tracked.up);
        tracked
    }
}

#[cfg(test)]
#[allow(non_snake_case, clippy::arithmetic_side_effects)]
mod tests {
    use super::*;
    use anchor_lang::bytemuck::Zeroable;

    const WINDOW: i64 = 60;
    const SLOTS: u64 = 150;

    fn market() -> Market {
        let mut market = Market::zeroed();
        (market.offline_after, market.answer_window, market.answer_slots) = (300, 60, 150);
        market
    }

    /// A listing marked at second 1,301 and slot 1,000; its host was last heard from at 1,000.
    fn marked() -> Listing {
        let mut listing = Listing::zeroed();
        (listing.last_heartbeat_at, listing.counted_at) = (1_000, 900);
        assert_eq!(listing.mark(&market(), &Moment { at: 1_301, slot: 1_000 }), Ok(Silence::Marked));
        listing
    }

    fn tracked(seconds: u64, up: u64) -> Option<Tracked> {
        Some(Tracked { seconds, up })
    }

    fn after(seconds: i64, slots: u64) -> Moment {
        Moment { at: 1_301 + seconds, slot: 1_000 + slots }
    }

    #[test]
    fn rule__around_the_window__needs_its_seconds_and_its_slots_and_lapses() {
        for (seconds, slots, pending, silent) in [
            (0, 0, true, false),
            (WINDOW - 1, SLOTS, true, false),
            (WINDOW, SLOTS - 1, true, false),
            (WINDOW, SLOTS, false, true),
            (2 * WINDOW - 1, SLOTS, false, true),
            (2 * WINDOW - 1, SLOTS - 1, true, false),
            (2 * WINDOW, SLOTS, false, false),
            (2 * WINDOW, 0, false, false),
            (10_800, 54_000, false, false),
            (-600, SLOTS, true, false),
        ] {
            let (listing, now) = (marked(), after(seconds, slots));
            let found = (listing.is_answer_pending(&now), listing.is_silent(&now));
            assert_eq!(found, (pending, silent), "{seconds} {slots}");
        }
    }

    #[test]
    fn mark__each_state__marks_proves_or_is_refused() {
        let mut listing = Listing::zeroed();
        assert!(listing.mark(&market(), &after(0, 0)).is_err(), "never heard from");
        listing.last_heartbeat_at = 1_001;
        assert!(listing.mark(&market(), &after(0, 0)).is_err(), "heard in time");
        assert!(marked().mark(&market(), &after(WINDOW - 1, SLOTS)).is_err(), "pending");
        assert_eq!(marked().mark(&market(), &after(WINDOW, SLOTS)), Ok(Silence::Proven));
        let mut lapsed = marked();
        assert_eq!(lapsed.mark(&market(), &after(2 * WINDOW, SLOTS)), Ok(Silence::Marked));
        assert_eq!(lapsed.answer_by(), 1_301 + 3 * WINDOW);
        lapsed.prove_silence();
        assert!(lapsed.is_silent(&after(10_800, 0)) && lapsed.mark(&market(), &after(10_800, 0)).is_err());
    }

    #[test]
    fn mark__rented__has_the_terms_of_the_rental() {
        let mut listing = Listing::zeroed();
        listing.occupy(&Address::new_from_array([7; 32]), 300, &market()).unwrap();
        listing.last_heartbeat_at = 1_000;
        let mut hasty = market();
        (hasty.offline_after, hasty.answer_window, hasty.answer_slots) = (5, 30, 75);
        assert!(listing.mark(&hasty, &Moment { at: 1_300, slot: 1_000 }).is_err());
        assert_eq!(listing.mark(&hasty, &Moment { at: 1_301, slot: 1_000 }), Ok(Silence::Marked));
        assert_eq!((listing.answer_by(), listing.answer_slot), (1_301 + WINDOW, 1_000 + SLOTS));
        listing.current = Address::default();
        listing.silence = Silence::Heard as u8;
        assert_eq!(listing.mark(&hasty, &Moment { at: 1_301, slot: 1_000 }), Ok(Silence::Marked));
        assert_eq!((listing.answer_by(), listing.answer_slot), (1_331, 1_075));
    }

    #[test]
    fn heartbeat__each_state__counts_only_a_proven_silence_as_down() {
        for (seconds, slots, counted) in [
            (WINDOW - 1, SLOTS, tracked(460, 460)),
            (WINDOW, SLOTS, tracked(461, 100)),
            (2 * WINDOW, SLOTS, tracked(521, 521)),
            (-301, SLOTS, None),
        ] {
            let mut listing = marked();
            assert_eq!(listing.heartbeat(&after(seconds, slots)), counted, "{seconds}");
        }
        let mut rented = marked();
        rented.current = Address::new_from_array([7; 32]);
        assert_eq!(rented.heartbeat(&after(WINDOW, SLOTS)), None);
        assert_eq!(rented.heartbeat(&after(WINDOW, SLOTS - 1)), tracked(461, 461));
        assert_eq!(rented.silence, Silence::Heard as u8);
    }

    #[test]
    fn count_time__hidden_for_a_while__counts_only_while_visible_or_rented() {
        let mut listing = Listing::zeroed();
        (listing.visible, listing.last_heartbeat_at) = (1, 1_000);
        assert_eq!(
            listing.count_time(&Moment { at: 1_100, slot: 0 }),
            Tracked::default(),
            "before the first heartbeat"
        );
        listing.counted_at = 1_000;
        listing.visible = 0;
        listing.note_offer(1_100);
        listing.note_offer(1_150);
        assert_eq!(listing.heartbeat(&Moment { at: 1_200, slot: 0 }), tracked(100, 100));
        assert_eq!(listing.heartbeat(&Moment { at: 1_300, slot: 0 }), tracked(0, 0));
        assert_eq!(listing.count_time(&Moment { at: 1_400, slot: 0 }), Tracked::default());
        (listing.challenger, listing.preempt_at) = (Address::new_from_array([7; 32]), 1_490);
        listing.note_offer(1_400);
        listing.prove_silence();
        assert_eq!(listing.count_time(&Moment { at: 1_450, slot: 0 }), Tracked { seconds: 50, up: 0 });
        assert_eq!(listing.count_time(&Moment { at: 1_440, slot: 0 }), Tracked::default(), "the clock went back");
        assert_eq!(listing.heartbeat(&Moment { at: 1_460, slot: 0 }), tracked(10, 0));
        assert_eq!((listing.tracked_seconds, listing.up_seconds, listing.counted_at), (160, 100, 1_460));
    }
}
