use crate::*;

/// An order that no listing has taken yet, at seeds `"request", renter, nonce`; its rental takes the same nonce.
///
/// Besides its rent it carries two tips, which ride on in its rental: one for whoever matches it, once that starts, and one for
/// whoever ends that. Of a request that nobody matches the first is for whoever ends it.
#[account]
pub struct Request {
    pub version: u8,
    pub bump: u8,
    /// See [`RentalKind`]; never spot.
    pub kind: u8,
    /// Shard of the vault that holds the deposit.
    pub shard: u8,
    /// GPUs of the machine, exactly.
    pub gpu_count: u8,
    /// Of machines that all fit, those near this region come first; [`ANY_REGION`] for none.
    pub near_region: u8,
    /// Number of the model in the catalog.
    pub gpu_model: u16,
    pub renter: Address,
    pub mint: Address,
    /// SHA-256 of the order document.
    pub order_hash: [u8; 32],
    pub nonce: [u8; 8],
    /// Deposit of the renter, in base units.
    pub deposit: u64,
    /// The most a machine-hour may cost, in micro-USD, fees not included.
    pub max_usd: u64,
    /// One bit for each region that will do; zero takes any.
    pub regions: u64,
    pub created_at: i64,
    /// From when nobody may match it and anyone may end it.
    pub expires_at: i64,
    pub duration: u32,
    pub tip_lamports: u32,
    pub seq: u32,
    /// Least reputation of the host, in basis points.
    pub min_score_bps: u16,
    /// Canonical bump of the rental that a match opens.
    pub rental_bump: u8,
    pub reserved_tail: [u8; 9],
    pub reserved: [u8; 32],
    /// The least that the machine must have; zero asks for nothing. VRAM is of each GPU, CUDA major × 100 + minor.
    pub min_vram_gb: u16,
    pub min_cuda: u16,
    pub min_ram_gb: u32,
    pub min_disk_gb: u32,
    pub min_net_up_mbps: u32,
    pub min_net_down_mbps: u32,
    pub reserved_end: [u8; 28],
}

const _: () = assert!(size_of::<Request>() == 256);
// The rent of a request pays for its rental's.
const _: () = assert!(size_of::<Request>() >= size_of::<Rental>());

/// Terms that a renter asks for when any machine of a kind will do.
#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy)]
pub struct RequestOrder {
    pub kind: RentalKind,
    /// Number of the model in the catalog.
    pub gpu_model: u16,
    pub gpu_count: u8,
    /// One bit for each region that will do; zero takes any.
    pub regions: u64,
    /// Of machines that all fit, those near this region should come first: 255 for none.
    pub near_region: u8,
    /// Least reputation of the host, in basis points.
    pub min_score_bps: u16,
    pub duration: u32,
    /// The most a machine-hour may cost, in micro-USD, fees not included.
    pub max_usd: u64,
    /// Escrow of the renter, in base units: the cost at `max_usd` or more, for a token price that falls.
    pub deposit: u64,
    pub expires_at: i64,
    /// SHA-256 of the order document.
    pub order_hash: [u8; 32],
    /// The least that the machine must have; zero asks for nothing. VRAM is of each GPU, CUDA major × 100 + minor.
    pub min_vram_gb: u16,
    pub min_cuda: u16,
    pub min_ram_gb: u32,
    pub min_disk_gb: u32,
    pub min_net_up_mbps: u32,
    pub min_net_down_mbps: u32,
}

impl RequestOrder {
    /// Requires that the market could fill this order.
    pub fn require_valid(&self, market: &Market, now: i64) -> Result<()> {
        require!(self.kind != RentalKind::Spot, MarketError::SpotRequest);
        require!(self.kind.is_valid_term(self.duration), MarketError::InvalidReservedTerm);
        require!(self.duration >= market.min_duration, MarketError::DurationTooShort);
        require!(self.duration <= market.max_duration, MarketError::DurationTooLong);
        let latest = now.saturating_add(MAX_REQUEST_SECONDS.into());
        require!(
            self.gpu_model > 0
                && self.gpu_count > 0
                && (self.near_region == ANY_REGION || u16::from(self.near_region) < MAX_REGIONS)
                && u64::from(self.min_score_bps) <= BPS
                && self.max_usd > 0
                && self.max_usd <= u64::from(u32::MAX)
                && self.expires_at > now
                && self.expires_at <= latest,
            MarketError::InvalidRequest
        );
        Ok(())
    }
}

impl Request {
    pub fn kind(&self) -> RentalKind {
        if self.kind == RentalKind::Reserved as u8 {
            RentalKind::Reserved
        } else {
            RentalKind::OnDemand
        }
    }

    /// The order that a matching listing of this `spec_version` takes; it costs at most the deposit.
    pub fn order(&self, spec_version: u32) -> Order {
        Order {
            kind: self.kind(),
            duration: self.duration,
            max_deposit: self.deposit,
            order_hash: self.order_hash,
            bid_usd: 0,
            spec_version,
            may_finish: false,
        }
    }

    pub fn is_over(&self, now: i64) -> bool {
        now >= self.expires_at
    }

    pub fn require_renter(&self, signer: &Address) -> Result<()> {
        require!(address_eq(&self.renter, signer), MarketError::WrongRenter);
        Ok(())
    }

    /// Requires that `listing` is a machine like the one asked for, in one of the regions, of a host of enough repute.
    pub fn require_fit(&self, listing: &Listing, host: &Host) -> Result<()> {
        let region = 1u64.checked_shl(listing.region.into()).unwrap_or(0);
        require!(
            listing.gpu_model == self.gpu_model
                && listing.gpu_count == self.gpu_count
                && (self.regions == 0 || self.regions & region != 0)
                && host.score >= self.min_score_bps
                && listing.vram_gb >= self.min_vram_gb
                && listing.cuda >= self.min_cuda
                && listing.ram_gb >= self.min_ram_gb
                && listing.disk_gb >= self.min_disk_gb
                && listing.net_up_mbps >= self.min_net_up_mbps
                && listing.net_down_mbps >= self.min_net_down_mbps,
            MarketError::ListingUnfit
        );
        Ok(())
    }

    pub fn next_seq(&mut self) -> u32 {
        self.seq = self.seq.wrapping_add(1);
        self.seq
    }
}

#[cfg(test)]
#[allow(non_snake_case)]
mod tests {
    use super::*;

    #[test]
    fn require_fit__each_part__must_be_as_asked() {
        let mut request: Request = anchor_lang::bytemuck::Zeroable::zeroed();
        let mut listing: Listing = anchor_lang::bytemuck::Zeroable::zeroed();
        let mut host: Host = anchor_lang::bytemuck::Zeroable::zeroed();
        (request.gpu_model, request.gpu_count, request.min_score_bps) = (7, 2, 5_000);
        (listing.gpu_model, listing.gpu_count, listing.region, host.score) = (7, 2, 63, 5_000);
        for (regions, fits) in [(0, true), (1 << 63, true), (1 << 62, false), (u64::MAX, true), (u64::MAX >> 1, false)]
        {
            request.regions = regions;
            assert_eq!(request.require_fit(&listing, &host).is_ok(), fits, "{regions:b}");
        }
        request.regions = 0;
        host.score = 4_999;
        assert!(request.require_fit(&listing, &host).is_err());
        host.score = 5_001;
        assert!(request.require_fit(&listing, &host).is_ok());
        for (model, count) in [(8, 2), (6, 2), (7, 1), (7, 3)] {
            (listing.gpu_model, listing.gpu_count) = (model, count);
            assert!(request.require_fit(&listing, &host).is_err());
        }
    }

    #[test]
    fn is_over__around_the_end__from_that_second_on() {
        let mut request: Request = anchor_lang::bytemuck::Zeroable::zeroed();
        request.expires_at = 100;
        assert_eq!([99, 100, 101].map(|now| request.is_over(now)), [false, true, true]);
    }
}
