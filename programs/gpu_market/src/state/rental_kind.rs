use crate::*;

#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum RentalKind {
    OnDemand,
    Spot,
    Reserved,
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

#[cfg(test)]
#[allow(non_snake_case, clippy::arithmetic_side_effects)]
mod tests {
    use super::*;

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
