use crate::*;
use anchor_lang::wincode::config::{deserialize, serialize_into};
use anchor_lang::BORSH_CONFIG;

/// Act of a proposal, done once its vote has passed and its timelock has run out.
#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    SetParameter {
        parameter: MarketParameter,
        value: u64,
    },
    SetKey {
        key: MarketKey,
        new: Address,
    },
    SetPaused {
        area: PauseArea,
        paused: bool,
    },
    ApproveHost {
        host: Address,
        approved: bool,
        /// Base units of subsidy that its machines may draw in a day.
        subsidy_budget: u64,
    },
    AddPaymentMint {
        mint: Address,
        terms: PaymentMintTerms,
    },
    UpdatePaymentMint {
        payment_mint: Address,
        terms: PaymentMintTerms,
    },
    /// Base units of `mint` from a token account of the governance address to one of the wallet `to`.
    TreasuryTransfer {
        mint: Address,
        to: Address,
        amount: u64,
    },
    /// The program's code becomes that of a loader's buffer, if it still hashes to what was voted on.
    UpgradeProgram {
        buffer: Address,
        sha256: [u8; 32],
    },
    AddRewardMint {
        mint: Address,
    },
    SetGpuModel {
        number: u16,
        terms: GpuTerms,
    },
    /// Base units that nobody is owed, out of a vault into a token account of the governance address.
    WithdrawUnreserved {
        mint: Address,
        shard: u8,
        amount: u64,
    },
}

impl Action {
    /// True if it moves the program's code or the treasury's money: it needs more votes, waits until whoever disagrees has
    /// left, and the guardian may veto it.
    pub fn is_critical(&self) -> bool {
        match self {
            Self::UpgradeProgram { .. } | Self::TreasuryTransfer { .. } => true,
            Self::SetKey { key, .. } => *key == MarketKey::Treasury,
            Self::SetParameter { .. }
            | Self::SetPaused { .. }
            | Self::ApproveHost { .. }
            | Self::AddPaymentMint { .. }
            | Self::UpdatePaymentMint { .. }
            | Self::AddRewardMint { .. }
            | Self::SetGpuModel { .. }
            | Self::WithdrawUnreserved { .. } => false,
        }
    }

    /// Refuses what could never be executed in the market, or in one for tests.
    pub fn check(&self, testing: bool) -> Result<()> {
        match self {
            Self::SetParameter { parameter, value } => {
                require!(parameter.bounds(testing).contains(value), MarketError::ParameterOutOfBounds);
            }
            Self::TreasuryTransfer { amount: 0, .. } | Self::WithdrawUnreserved { amount: 0, .. } => {
                return Err(MarketError::ZeroAmount.into())
            }
            _ => {}
        }
        Ok(())
    }

    /// The action as Borsh bytes, zeros behind.
    pub fn to_bytes(&self) -> Result<[u8; ACTION_BYTES]> {
        let mut bytes = [0; ACTION_BYTES];
        serialize_into(bytes.as_mut_slice(), self, BORSH_CONFIG).map_err(|_| MarketError::MathOverflow)?;
        Ok(bytes)
    }

    /// The action that [`Action::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8; ACTION_BYTES]) -> Result<Self> {
        deserialize(bytes, BORSH_CONFIG).map_err(|_| MarketError::WrongAction.into())
    }
}
