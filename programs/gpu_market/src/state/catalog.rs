use crate::*;
use pinocchio::cpi::Seed;

/// GPU points of every model, at seeds `"catalog"`. It also keeps the market tokens that hosts have locked.
#[account]
pub struct Catalog {
    pub version: u8,
    pub bump: u8,
    pub reserved_flags: [u8; 6],
    /// The catalog's associated token account of the market token.
    pub token_account: Address,
    /// The market token.
    pub mint: Address,
    pub seq: u64,
    /// Base units locked by hosts or on their way out.
    pub locked: u64,
    pub points: [u16; CATALOG_MODELS],
    pub reserved: [u8; 64],
}

const _: () = assert!(size_of::<Catalog>() == 664);

impl Catalog {
    /// GPU points of `count` GPUs; none for a model that is not in the catalog.
    pub fn points_of(&self, model: u16, count: u8) -> u32 {
        let points = self.points.get(usize::from(model)).copied().unwrap_or(0);
        u32::from(points).saturating_mul(count.into())
    }

    /// Sets the points of one GPU of a model; gives the old ones.
    pub fn set_points(&mut self, model: u16, points: u16) -> Result<u16> {
        let slot = self.points.get_mut(usize::from(model)).ok_or(MarketError::UnknownGpuModel)?;
        Ok(core::mem::replace(slot, points))
    }

    /// Tokens of a host come in.
    pub fn lock(&mut self, amount: u64) -> Result<()> {
        self.locked = math::add(self.locked, amount)?;
        Ok(())
    }

    /// Tokens go back to their host.
    pub fn release(&mut self, amount: u64) -> Result<()> {
        self.locked = math::sub(self.locked, amount)?;
        Ok(())
    }

    pub fn next_seq(&mut self) -> u64 {
        self.seq = self.seq.wrapping_add(1);
        self.seq
    }

    /// What the catalog signs with.
    pub fn seeds(bump: &[u8; 1]) -> [Seed<'_>; 2] {
        [Seed::from(b"catalog".as_slice()), Seed::from(bump)]
    }
}
