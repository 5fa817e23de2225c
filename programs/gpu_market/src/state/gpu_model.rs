use crate::*;
use anchor_lang::find_program_address;

/// A GPU model of the catalog, at seeds `"gpu", number`.
#[account]
pub struct GpuModel {
    pub version: u8,
    pub bump: u8,
    /// Number by which listings name it.
    pub number: [u8; 2],
    /// GPU points of one GPU.
    pub points: u16,
    pub reserved_flags: [u8; 2],
    /// Micro-USD per GPU-hour up to which prices are subsidised; zero subsidises none.
    pub reference_usd: u32,
    pub reserved_price: [u8; 4],
    pub seq: u64,
    pub reserved: [u8; 32],
}

const _: () = assert!(size_of::<GpuModel>() == 56);

/// Entry of the catalog: one GPU of a model.
#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GpuTerms {
    pub points: u16,
    /// Micro-USD per GPU-hour up to which prices are subsidised; zero subsidises none.
    pub reference_usd: u32,
}

impl GpuModel {
    pub fn terms(&self) -> GpuTerms {
        GpuTerms { points: self.points, reference_usd: self.reference_usd }
    }

    /// Takes new terms; gives the old ones.
    pub fn set_terms(&mut self, terms: &GpuTerms) -> GpuTerms {
        let old = self.terms();
        self.points = terms.points;
        self.reference_usd = terms.reference_usd;
        old
    }

    pub fn next_seq(&mut self) -> u64 {
        self.seq = self.seq.wrapping_add(1);
        self.seq
    }
}

impl GpuTerms {
    /// The terms of a model by its number, whose account must be `view`; none of one that is not in the catalog.
    pub fn of(number: u16, view: &AccountView) -> Result<Self> {
        if view.owned_by(&crate::ID) {
            let model = Account::<GpuModel>::load(*view).map_err(|_| MarketError::WrongGpuModel)?;
            require!(u16::from_le_bytes(model.number) == number, MarketError::WrongGpuModel);
            return Ok(model.terms());
        }
        require!(view.data_len() == 0, MarketError::WrongGpuModel);
        let (expected, _) = find_program_address(&[b"gpu", &number.to_le_bytes()], &crate::ID);
        require!(address_eq(view.address(), &expected), MarketError::WrongGpuModel);
        Ok(Self::default())
    }
}
