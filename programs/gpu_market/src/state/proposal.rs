use crate::*;

/// Something that stakers vote on, at seeds `"proposal", proposer, nonce`. The rules of its vote are those of the market when it
/// was made.
#[account]
pub struct Proposal {
    pub version: u8,
    pub bump: u8,
    /// See [`ProposalState`].
    pub state: u8,
    /// True if its action is critical, see [`Action::is_critical`].
    pub critical: u8,
    pub reserved_flags: [u8; 4],
    pub proposer: Address,
    /// Its number among the market's proposals.
    pub id: u64,
    pub seq: u64,
    pub created_at: i64,
    /// Votes count before it, and are counted from then on.
    pub ends_at: i64,
    /// From when it may be executed; zero until queued.
    pub execute_at: i64,
    /// Latest end of the votes that were open at its opening, its own among them, if it is critical; zero otherwise. Stake
    /// that they hold can leave from then on.
    pub held_until: i64,
    /// Base units of stake that a quorum is a share of.
    pub eligible: u64,
    pub votes_for: u64,
    pub votes_against: u64,
    pub timelock: u32,
    pub voters: u32,
    pub quorum_bps: u16,
    pub threshold_bps: u16,
    pub reserved_middle: [u8; 4],
    /// An [`Action`] in Borsh.
    pub action: [u8; ACTION_BYTES],
    pub reserved: [u8; 48],
    /// The stake account's next one when it was made.
    pub nonce: u64,
}

const _: () = assert!(size_of::<Proposal>() == 312);

#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum ProposalState {
    Voting,
    Queued,
    Executed,
    Defeated,
    Cancelled,
    Vetoed,
}

impl Proposal {
    /// Opens the vote under the market's rules, on `eligible` base units of stake, takes the market's next number, and tells
    /// the market when the vote ends.
    pub fn open(&mut self, market: &mut Market, eligible: u64, action: &Action, now: i64) -> Result<()> {
        self.id = market.next_proposal;
        market.next_proposal = math::add(self.id, 1)?;
        self.state = ProposalState::Voting as u8;
        self.action = action.to_bytes()?;
        self.eligible = eligible;
        self.created_at = now;
        self.ends_at = now.saturating_add(market.voting_period.into());
        market.votes_end_at = market.votes_end_at.max(self.ends_at);
        let is_critical = action.is_critical();
        self.critical = is_critical.into();
        if is_critical {
            self.held_until = market.votes_end_at;
        }
        (self.timelock, self.quorum_bps, self.threshold_bps) = market.voting_rules(is_critical);
        Ok(())
    }

    /// Adds a wallet's vote while the vote is open.
    pub fn count(&mut self, support: bool, weight: u64, now: i64) -> Result<()> {
        self.require_open(now)?;
        let votes = if support { &mut self.votes_for } else { &mut self.votes_against };
        *votes = math::add(*votes, weight)?;
        self.voters = self.voters.saturating_add(1);
        Ok(())
    }

    /// Takes the proposal back while the vote is open.
    pub fn cancel(&mut self, now: i64) -> Result<()> {
        self.require_open(now)?;
        self.state = ProposalState::Cancelled as u8;
        Ok(())
    }

    /// Counts the votes once the vote has ended, while they are fresh: queued for execution, or defeated. The timelock of a
    /// critical proposal starts when no vote holds stake any more that could not have known of it.
    pub fn decide(&mut self, now: i64) -> Result<ProposalState> {
        self.require_state(ProposalState::Voting)?;
        require!(now >= self.ends_at, MarketError::VoteOpen);
        require!(now < self.count_until(), MarketError::ProposalExpired);
        let decided = if self.passes()? { ProposalState::Queued } else { ProposalState::Defeated };
        self.state = decided as u8;
        if decided == ProposalState::Queued {
            self.execute_at = now.max(self.held_until).saturating_add(self.timelock.into());
        }
        Ok(decided)
    }

    /// Action that was voted on.
    pub fn action(&self) -> Result<Action> {
        Action::from_bytes(&self.action)
    }

    /// Marks the proposal executed; once, after the timelock and before it expires.
    pub fn execute(&mut self, now: i64) -> Result<()> {
        self.require_state(ProposalState::Queued)?;
        require!(now >= self.execute_at, MarketError::TimelockRunning);
        require!(now < self.expires_at(), MarketError::ProposalExpired);
        self.state = ProposalState::Executed as u8;
        Ok(())
    }

    /// The guardian stops a critical proposal that waits to be executed.
    pub fn veto(&mut self) -> Result<()> {
        self.require_state(ProposalState::Queued)?;
        require!(self.critical != 0, MarketError::NotCritical);
        self.state = ProposalState::Vetoed as u8;
        Ok(())
    }

    /// From when a queued proposal can no longer be executed; zero unless it was queued.
    pub fn expires_at(&self) -> i64 {
        if self.execute_at == 0 {
            return 0;
        }
        self.execute_at.saturating_add(EXECUTION_WINDOW)
    }

    /// From when its votes can no longer be counted.
    fn count_until(&self) -> i64 {
        self.ends_at.saturating_add(QUEUE_WINDOW)
    }

    /// True if nothing more can become of it.
    pub fn is_over(&self, now: i64) -> bool {
        match self.state {
            state if state == ProposalState::Voting as u8 => now >= self.count_until(),
            state if state == ProposalState::Queued as u8 => now >= self.expires_at(),
            _ => true,
        }
    }

    /// True if no vote can be cast any more.
    pub fn vote_over(&self, now: i64) -> bool {
        self.state != ProposalState::Voting as u8 || now >= self.ends_at
    }

    /// Quorum: the share of the eligible stake that must vote, rounded up. Threshold: the share of the votes that must
    /// be in favour, rounded up.
    fn passes(&self) -> Result<bool> {
        let cast = math::add(self.votes_for, self.votes_against)?;
        let quorum = math::share_ceil(self.eligible, self.quorum_bps)?.max(1);
        Ok(cast >= quorum && self.votes_for >= math::share_ceil(cast, self.threshold_bps)?)
    }

    fn require_open(&self, now: i64) -> Result<()> {
        self.require_state(ProposalState::Voting)?;
        require!(now < self.ends_at, MarketError::VoteEnded);
        Ok(())
    }

    fn require_state(&self, state: ProposalState) -> Result<()> {
        require!(self.state == state as u8, MarketError::WrongProposalState);
        Ok(())
    }

    pub fn next_seq(&mut self) -> u64 {
        self.seq = self.seq.wrapping_add(1);
        self.seq
    }
}

#[cfg(test)]
#[allow(non_snake_case, clippy::arithmetic_side_effects)]
mod tests {
    use super::*;
    use crate::state::{MarketKey, PauseArea, PaymentMint};

    fn proposal(votes_for: u64, votes_against: u64) -> Proposal {
        let mut proposal: Proposal = anchor_lang::bytemuck::Zeroable::zeroed();
        proposal.eligible = 1_001;
        (proposal.quorum_bps, proposal.threshold_bps, proposal.timelock) = (1_000, 6_000, 50);
        (proposal.votes_for, proposal.votes_against, proposal.ends_at) = (votes_for, votes_against, 100);
        proposal
    }

    #[test]
    fn decide__around_quorum_and_threshold__queues_or_defeats() {
        use ProposalState::*;
        for (votes_for, votes_against, expected) in [
            (0, 0, Defeated),
            (100, 0, Defeated),
            (101, 0, Queued),
            (60, 41, Defeated),
            (61, 40, Queued),
            (600, 400, Queued),
            (599, 400, Defeated),
            (0, 1_001, Defeated),
        ] {
            let mut proposal = proposal(votes_for, votes_against);
            assert_eq!(proposal.decide(100), Ok(expected), "{votes_for} : {votes_against}");
            assert_eq!(proposal.execute_at, if expected == Queued { 150 } else { 0 });
        }
    }

    #[test]
    fn decide__stake_held_by_another_vote__starts_the_timelock_once_it_is_free() {
        for (held_until, expected) in [(0, 150), (99, 150), (100, 150), (101, 151), (900, 950)] {
            let mut proposal = proposal(500, 0);
            proposal.held_until = held_until;
            proposal.decide(100).unwrap();
            assert_eq!((proposal.execute_at, proposal.expires_at()), (expected, expected + EXECUTION_WINDOW));
        }
    }

    #[test]
    fn decide__before_the_end_or_twice__is_refused() {
        let mut proposal = proposal(500, 0);
        assert!(proposal.decide(99).is_err());
        assert!(proposal.decide(100).is_ok());
        assert!(proposal.decide(100).is_err());
    }

    #[test]
    fn execute__around_the_timelock_and_the_expiry__works_once_in_between() {
        for (now, works) in
            [(149, false), (150, true), (150 + EXECUTION_WINDOW - 1, true), (150 + EXECUTION_WINDOW, false)]
        {
            let mut proposal = proposal(500, 0);
            proposal.decide(100).unwrap();
            assert_eq!(proposal.execute(now).is_ok(), works, "{now}");
            assert!(!works || proposal.execute(now).is_err());
        }
    }

    #[test]
    fn decide__around_the_deadline__counts_before_it_only() {
        let deadline = 100 + QUEUE_WINDOW;
        assert!(proposal(500, 0).decide(deadline - 1).is_ok());
        assert_eq!(proposal(500, 0).decide(deadline), Err(MarketError::ProposalExpired.into()));
    }

    #[test]
    fn is_over__each_state__is_where_nothing_more_can_happen() {
        use ProposalState::*;
        for (state, over_at) in [
            (Voting, 100 + QUEUE_WINDOW),
            (Queued, 150 + EXECUTION_WINDOW),
            (Executed, 0),
            (Defeated, 0),
            (Cancelled, 0),
            (Vetoed, 0),
        ] {
            let mut proposal = proposal(0, 0);
            (proposal.state, proposal.execute_at) = (state as u8, 150);
            assert!(proposal.is_over(over_at), "{state:?}");
            assert_eq!(proposal.is_over(over_at - 1), over_at == 0, "{state:?}");
        }
    }

    #[test]
    fn veto__only_a_critical_proposal_that_is_queued() {
        for (critical, state, works) in [
            (1, ProposalState::Queued, true),
            (0, ProposalState::Queued, false),
            (1, ProposalState::Voting, false),
            (1, ProposalState::Executed, false),
        ] {
            let mut proposal = proposal(500, 0);
            (proposal.critical, proposal.state) = (critical, state as u8);
            assert_eq!(proposal.veto().is_ok(), works);
        }
    }

    #[test]
    fn action__every_kind__fits_its_bytes_and_returns() {
        let terms = <PaymentMint as anchor_lang::bytemuck::Zeroable>::zeroed().terms();
        let key = Address::new_from_array([7; 32]);
        for action in [
            Action::SetKey { key: MarketKey::Treasury, new: key },
            Action::SetPaused { area: PauseArea::Prices, paused: true },
            Action::AddPaymentMint { mint: key, terms },
            Action::UpdatePaymentMint { payment_mint: key, terms },
            Action::TreasuryTransfer { mint: key, to: key, amount: u64::MAX },
            Action::UpgradeProgram { buffer: key, sha256: [9; 32] },
        ] {
            let bytes = action.to_bytes().unwrap();
            assert!(Action::from_bytes(&bytes) == Ok(action));
        }
    }
}
