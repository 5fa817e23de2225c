use crate::*;

/// A machine on offer, at seeds `"listing", host, id`.
#[account]
pub struct Listing {
    pub version: u8,
    pub bump: u8,
    pub visible: u8,
    pub disk_kind: u8,
    pub gpu_count: u8,
    /// See [`Silence`].
    pub silence: u8,
    /// Seconds that the host has to answer a mark: under the current rental, or since the last mark while idle.
    pub answer_window: u16,
    pub host: Address,
    /// The host's wallet: it sets what is offered and at what price, and alone is paid.
    pub authority: Address,
    /// The rental that occupies the machine; zero while idle.
    pub current: Address,
    /// The rental that waits to take over; zero without one.
    pub challenger: Address,
    pub seq: u64,
    pub on_demand_usd: u64,
    pub spot_min_usd: u64,
    pub created_at: i64,
    /// When a rental that had started last left the machine.
    pub idle_since: i64,
    /// When the host was last heard from, by a heartbeat or a settlement; zero until the first.
    pub last_heartbeat_at: i64,
    pub tracked_seconds: u64,
    pub up_seconds: u64,
    /// Sum of rating × weight, and of weights (micro-USD that the raters had paid), since the host last counted them.
    pub rating_sum: u64,
    pub rating_weight: u64,
    /// Micro-USD that renters themselves have paid since the host last counted them.
    pub paid_usd: u64,
    pub id: u32,
    pub mrl_seconds: u32,
    pub net_up_mbps: u32,
    pub net_down_mbps: u32,
    pub disk_gb: u32,
    pub disk_mbps: u32,
    pub ram_gb: u32,
    pub opened: u32,
    /// Rentals that ended well, and those that failed by the host's fault, since the host last counted them.
    pub completed: u32,
    pub failed: u32,
    pub gpu_model: u16,
    pub region: u16,
    pub vram_gb: u16,
    pub cpu_cores: u16,
    /// Highest CUDA version the driver runs: major × 100 + minor.
    pub cuda: u16,
    /// Seconds of silence that the current rental allows.
    pub offline_after: u16,
    /// GPU points of the machine.
    pub points: u32,
    /// When the challenger may take over; zero without one.
    pub preempt_at: i64,
    /// No order may begin to wait before this moment: the second after the last one that waited was withdrawn.
    pub challenge_from: i64,
    /// Micro-USD per GB of outbound traffic above the allowance; zero charges nothing.
    pub bandwidth_usd: u32,
    /// GB of outbound traffic that the price includes, per rental.
    pub bandwidth_free_gb: u32,
    /// Micro-USD per GB and hour of persistent storage; zero charges nothing.
    pub storage_usd: u32,
    /// The last of the host's scores that this listing was counted for.
    pub score_round: u32,
    /// Orders that the host refused before the start, since the host last counted them.
    pub refused: u32,
    /// Number of changes to what the machine is or how long it keeps workspaces, from 1 on; an order names it.
    pub spec_version: u32,
    /// Until when the time has been counted; zero until the first heartbeat.
    pub counted_at: i64,
    /// When the host was last marked.
    pub marked_at: i64,
    /// From which slot on the host's time to answer may be over.
    pub answer_slot: u64,
    /// The vault that keeps what the host is owed; zero when nothing is.
    pub owed_vault: Address,
    /// Base units that the host could not be paid when a rental ended, until they are claimed.
    pub owed: u64,
    /// The key that serves the machine: it sends heartbeats, and accepts, starts, settles and gives up rentals.
    pub operator: Address,
    /// Finished rentals that still hold something back for the host.
    pub finished: u32,
    /// Micro-USD per GPU-hour up to which the price is subsidised: the catalog's, as of the last change or refresh.
    pub reference_usd: u32,
    /// Since when the machine is neither visible nor rented, which time does not count; zero while it is either.
    pub unoffered_since: i64,
    /// Days for which the host keeps what renters ask it to keep of their workspaces; zero keeps nothing.
    pub keep_days: u16,
    /// The same in slots.
    pub answer_slots: u16,
    /// Seconds that the current rental keeps the machine once an order waits for it.
    pub spot_grace: u16,
    /// Of them, what orders that were withdrawn have left.
    pub grace_left: u16,
    /// True if the order that waits has to take the machine before its renter may leave.
    pub is_bound: u8,
    pub reserved: [u8; 7],
    /// The rental that the host ended while an order waited for the machine, which compensates its renter; zero without one.
    pub departed: Address,
    /// The wallet of its renter: its account may be gone.
    pub departed_renter: Address,
    /// Matcher of the request that the current rental was; read only while that rental owes them.
    pub matcher: Address,
}

const _: () = assert!(size_of::<Listing>() == 544);

/// Counts of a listing for its host's reputation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub rating_sum: u64,
    pub rating_weight: u64,
    pub paid_usd: u64,
    pub completed: u32,
    pub failed: u32,
    pub refused: u32,
}

/// Description of a machine by its host. The price and limits apply to new rentals only.
#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq)]
pub struct ListingSpec {
    /// Number of the model in the catalog.
    pub gpu_model: u16,
    pub gpu_count: u8,
    pub vram_gb: u16,
    pub region: u16,
    pub cpu_cores: u16,
    pub ram_gb: u32,
    /// 0 NVMe, 1 SSD, 2 HDD.
    pub disk_kind: u8,
    pub disk_gb: u32,
    pub disk_mbps: u32,
    pub net_up_mbps: u32,
    pub net_down_mbps: u32,
    pub cuda: u16,
    /// Micro-USD per machine-hour.
    pub on_demand_usd: u64,
    /// Least spot bid, micro-USD per machine-hour; zero takes no spot.
    pub spot_min_usd: u64,
    /// Maximum rental length, seconds.
    pub mrl_seconds: u32,
    pub visible: bool,
    /// Days for which a renter's workspace is kept for their next rental, if they ask for it.
    pub keep_days: u16,
}

/// Charges of a host on top of the price, optional each. Applies to new meters only.
#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq)]
pub struct Charges {
    /// Micro-USD per GB of outbound traffic above the allowance; zero charges nothing.
    pub bandwidth_usd: u32,
    /// GB of outbound traffic that the price includes, per rental.
    pub bandwidth_free_gb: u32,
    /// Micro-USD per GB and hour of persistent storage; zero charges nothing.
    pub storage_usd: u32,
}

impl Charges {
    /// True if nobody who agreed to `agreed` pays more by these.
    pub fn are_within(&self, agreed: &Charges) -> bool {
        self.bandwidth_usd <= agreed.bandwidth_usd
            && self.bandwidth_free_gb >= agreed.bandwidth_free_gb
            && self.storage_usd <= agreed.storage_usd
    }

    pub fn are_none(&self) -> bool {
        self.bandwidth_usd == 0 && self.storage_usd == 0
    }
}

impl Listing {
    pub fn charges(&self) -> Charges {
        Charges {
            bandwidth_usd: self.bandwidth_usd,
            bandwidth_free_gb: self.bandwidth_free_gb,
            storage_usd: self.storage_usd,
        }
    }

    /// Takes new charges; gives the old ones.
    pub fn set_charges(&mut self, charges: &Charges) -> Charges {
        let old = self.charges();
        self.bandwidth_usd = charges.bandwidth_usd;
        self.bandwidth_free_gb = charges.bandwidth_free_gb;
        self.storage_usd = charges.storage_usd;
        old
    }

    /// Takes a new spec at `now`; gives the time that a listing has tracked before it is shown again.
    pub fn set_spec(&mut self, spec: &ListingSpec, now: &Moment) -> Result<Tracked> {
        require!(
            spec.gpu_model > 0
                && spec.gpu_count > 0
                && spec.vram_gb > 0
                && spec.region < MAX_REGIONS
                && spec.disk_kind <= 2
                && spec.mrl_seconds > 0
                && spec.mrl_seconds <= MAX_DURATION
                && spec.keep_days <= MAX_KEEP_DAYS
                && spec.on_demand_usd > 0
                && spec.on_demand_usd <= u64::from(u32::MAX)
                && spec.spot_min_usd <= spec.on_demand_usd,
            MarketError::InvalidListingSpec
        );
        // The renter's quota of the region was counted when they came.
        require!(self.is_free() || spec.region == self.region, MarketError::ListingOccupied);
        if !self.is_machine(spec) {
            self.spec_version = self.spec_version.checked_add(1).ok_or(MarketError::MathOverflow)?;
        }
        let is_shown = self.unoffered_since != 0 && spec.visible;
        let tracked = if is_shown { self.count_time(now) } else { Tracked::default() };
        self.gpu_model = spec.gpu_model;
        self.gpu_count = spec.gpu_count;
        self.vram_gb = spec.vram_gb;
        self.region = spec.region;
        self.cpu_cores = spec.cpu_cores;
        self.ram_gb = spec.ram_gb;
        self.disk_kind = spec.disk_kind;
        self.disk_gb = spec.disk_gb;
        self.disk_mbps = spec.disk_mbps;
        self.net_up_mbps = spec.net_up_mbps;
        self.net_down_mbps = spec.net_down_mbps;
        self.cuda = spec.cuda;
        self.on_demand_usd = spec.on_demand_usd;
        self.spot_min_usd = spec.spot_min_usd;
        self.mrl_seconds = spec.mrl_seconds;
        self.visible = spec.visible.into();
        self.keep_days = spec.keep_days;
        self.note_offer(now.at);
        Ok(tracked)
    }

    /// True if `spec` says of the machine, and of how long it keeps workspaces, what the listing says, whatever its price and
    /// limits: an order agrees to those itself.
    fn is_machine(&self, spec: &ListingSpec) -> bool {
        self.gpu_model == spec.gpu_model
            && self.gpu_count == spec.gpu_count
            && self.vram_gb == spec.vram_gb
            && self.region == spec.region
            && self.cpu_cores == spec.cpu_cores
            && self.ram_gb == spec.ram_gb
            && self.disk_kind == spec.disk_kind
            && self.disk_gb == spec.disk_gb
            && self.disk_mbps == spec.disk_mbps
            && self.net_up_mbps == spec.net_up_mbps
            && self.net_down_mbps == spec.net_down_mbps
            && self.cuda == spec.cuda
            && self.keep_days == spec.keep_days
    }

    /// Takes what the catalog says of the machine's model, whose account is `gpu_model`, and changes the host's sum of
    /// points with it.
    pub fn take_terms(&mut self, gpu_model: &AccountView, host: &mut Host) -> Result<()> {
        let terms = GpuTerms::of(self.gpu_model, gpu_model)?;
        let points = u32::from(terms.points).saturating_mul(self.gpu_count.into());
        host.change_points(self.points, points)?;
        self.points = points;
        self.reference_usd = terms.reference_usd;
        Ok(())
    }

    /// Micro-USD per machine-hour up to which the price is subsidised.
    pub fn machine_reference_usd(&self) -> u64 {
        u64::from(self.reference_usd).saturating_mul(self.gpu_count.into())
    }

    pub fn is_idle(&self) -> bool {
        address_eq(&self.current, &Address::default())
    }

    /// Nobody holds the machine and nobody waits to.
    pub fn is_free(&self) -> bool {
        self.is_idle() && !self.has_challenger()
    }

    /// Takes note of whether the machine is visible or rented, after a change at `now`.
    pub fn note_offer(&mut self, now: i64) {
        if self.visible != 0 || !self.is_free() {
            self.unoffered_since = 0;
        } else if self.unoffered_since == 0 {
            self.unoffered_since = now;
        }
    }

    pub fn require_authority(&self, signer: &Address) -> Result<()> {
        require!(address_eq(&self.authority, signer), MarketError::WrongHost);
        Ok(())
    }

    pub fn require_operator(&self, signer: &Address) -> Result<()> {
        require!(address_eq(&self.operator, signer), MarketError::WrongOperator);
        Ok(())
    }

    /// Another key serves the machine from now on, and the old one no longer; gives the old one.
    pub fn set_operator(&mut self, operator: &Address) -> Result<Address> {
        require!(!address_eq(operator, &Address::default()), MarketError::InvalidOperator);
        Ok(core::mem::replace(&mut self.operator, *operator))
    }

    /// For a moment after the machine fell idle only a renter with enough active stake may take it.
    pub fn require_priority(&self, market: &Market, stake: u64, now: i64) -> Result<()> {
        let has_priority = stake > 0 && stake >= market.priority_stake;
        let idle = math::seconds_between(self.idle_since, now);
        require!(has_priority || idle >= market.priority_window.into(), MarketError::PriorityWindow);
        Ok(())
    }

    /// A rental that allows `offline_after` seconds of silence takes the idle machine, by the market's terms of that
    /// moment.
    pub fn occupy(&mut self, rental: &Address, offline_after: u16, market: &Market) -> Result<()> {
        require!(self.is_free(), MarketError::ListingOccupied);
        require!(self.owed == 0, MarketError::PayoutUnclaimed);
        self.current = *rental;
        self.offline_after = offline_after;
        self.answer_window = market.answer_window;
        self.answer_slots = market.answer_slots;
        self.spot_grace = market.spot_grace;
        self.grace_left = market.spot_grace;
        self.opened = self.opened.saturating_add(1);
        Ok(())
    }

    pub fn require_holder(&self, rental: &Address) -> Result<()> {
        require!(address_eq(&self.current, rental), MarketError::RentalWaiting);
        Ok(())
    }

    /// The rental that holds the machine leaves it. One that had not started leaves it as idle as it was before, so that
    /// stakers' priority does not begin anew. One that the host ends in front of an order that waits is noted: nothing the
    /// host does spares that order what it owes a holder.
    pub fn vacate(&mut self, address: &Address, rental: &Rental, reason: CloseReason, now: i64) -> Result<()> {
        self.require_holder(address)?;
        self.current = Address::default();
        if self.has_challenger() && reason.is_by_host() {
            (self.departed, self.departed_renter) = (*address, rental.renter);
        }
        if rental.is(RentalState::Running) {
            self.idle_since = now;
        }
        self.note_offer(now);
        Ok(())
    }

    /// The host could not be paid `amount` out of `vault`. No rental begins before it is claimed, so there is one such
    /// amount at most.
    pub fn owe(&mut self, amount: u64, vault: &Address) -> Result<()> {
        require!(self.owed == 0, MarketError::LedgerMismatch);
        self.owed = amount;
        self.owed_vault = *vault;
        Ok(())
    }

    /// Takes out what a finished rental has held back of the host's earnings, one way or the other.
    pub fn settle_finished(&mut self) -> Result<()> {
        self.finished = self.finished.checked_sub(1).ok_or(MarketError::LedgerMismatch)?;
        Ok(())
    }

    /// Takes out what the host is owed, and returns it.
    pub fn claim(&mut self) -> Result<u64> {
        require!(self.owed > 0, MarketError::NothingToClaim);
        self.owed_vault = Address::default();
        Ok(core::mem::take(&mut self.owed))
    }

    /// Counts that the renter of a rental has paid `paid_usd` so far, `before` of it the last time that this was counted.
    pub fn count_paid(&mut self, paid_usd: u64, before: u64) {
        self.paid_usd = self.paid_usd.saturating_add(paid_usd.saturating_sub(before));
    }

    /// Hands over what has been counted since the last time.
    pub fn take_counts(&mut self) -> Counts {
        Counts {
            rating_sum: core::mem::take(&mut self.rating_sum),
            rating_weight: core::mem::take(&mut self.rating_weight),
            paid_usd: core::mem::take(&mut self.paid_usd),
            completed: core::mem::take(&mut self.completed),
            failed: core::mem::take(&mut self.failed),
            refused: core::mem::take(&mut self.refused),
        }
    }

    pub fn next_seq(&mut self) -> u64 {
        self.seq = self.seq.wrapping_add(1);
        self.seq
    }
}
