use crate::*;
use pinocchio::cpi::Seed;

/// The catalog of GPU models, at seeds `"catalog"`: it keeps the market tokens that hosts have locked. Each model has an
/// account of its own, see [`GpuModel`].
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
    pub reserved: [u8; 64],
}

const _: () = assert!(size_of::<Catalog>() == 152);

impl Catalog {
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

    /// Seeds that the catalog signs with.
    pub fn seeds(bump: &[u8; 1]) -> [Seed<'_>; 2] {
        [Seed::from(b"catalog".as_slice()), Seed::from(bump)]
    }
}
