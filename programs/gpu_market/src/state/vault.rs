use crate::*;
use pinocchio::cpi::Seed;

/// The ledger of one escrow token account, at seeds `"vault", mint, shard`; sharded so that rentals don't lock one account.
///
/// It holds what running rentals are owed (`liabilities`), the fees nobody has swept yet, what the treasury could not take of
/// those swept (`treasury_due`) and this shard's part of the subsidy pool. Lifetime totals count modulo 2^64, so that they never stop the market.
#[account]
pub struct Vault {
    pub version: u8,
    pub bump: u8,
    pub shard: [u8; 1],
    pub reserved_shard: [u8; 1],
    /// The day of `subsidy_drawn`, by its number.
    pub subsidy_day: u16,
    pub reserved_flags: [u8; 2],
    pub mint: Address,
    /// The vault's associated token account.
    pub token_account: Address,
    pub seq: u64,
    pub open_rentals: u64,
    pub liabilities: u64,
    pub fees_due: u64,
    pub stakers_due: u64,
    pub subsidy_pool: u64,
    pub total_deposited: u64,
    pub total_funded: u64,
    pub total_paid: u64,
    pub total_burned: u64,
    pub total_refunded: u64,
    pub total_swept: u64,
    /// Paid to the stakers' rewards.
    pub total_stakers: u64,
    /// Paid by orders that waited for a machine to its holders.
    pub total_compensated: u64,
    /// Taken out of the subsidy pool by the market's authority.
    pub total_withdrawn: u64,
    /// Of swept fees, what is the treasury's and could not be paid yet.
    pub treasury_due: u64,
    /// Drawn from the subsidy pool into escrow on `subsidy_day`, less what has returned to it that day.
    pub subsidy_drawn: u64,
}

const _: () = assert!(size_of::<Vault>() == 208);

/// Split of a rental's money when it ended, in base units.
#[derive(Clone, Copy, Default)]
pub struct Split {
    /// Still owed to the host on top of what settlements paid.
    pub paid: u64,
    pub fees: u64,
    pub burned: u64,
    pub refunded: u64,
    pub subsidy_returned: u64,
    /// To the holder of the machine that an order waited for.
    pub compensation: u64,
    /// Of `compensation`, what the holder could not take: a fee.
    pub compensation_kept: u64,
}

impl Split {
    /// Of the refund `amount` becomes a compensation, `kept` of it as a fee.
    pub fn compensate(&mut self, amount: u64, kept: u64) -> Result<()> {
        self.refunded = math::sub(self.refunded, amount)?;
        self.compensation = amount;
        self.compensation_kept = kept;
        Ok(())
    }
}

/// Amounts not paid when a rental ended, in base units.
#[derive(Clone, Copy, Default)]
pub struct Owed {
    pub host: u64,
    pub renter: u64,
    /// The host's, until the renter may no longer contest the end.
    pub held: u64,
}

impl Vault {
    /// A renter's deposit comes in and its subsidy leaves the pool for escrow.
    pub fn escrow(&mut self, deposit: u64, subsidy: u64, now: i64) -> Result<()> {
        self.draw_subsidy(subsidy, now)?;
        self.liabilities = math::add(self.liabilities, math::add(deposit, subsidy)?)?;
        self.total_deposited = self.total_deposited.wrapping_add(deposit);
        self.invariant()
    }

    /// The deposit of a request, or the cap of a meter, comes in.
    pub fn hold(&mut self, deposit: u64) -> Result<()> {
        self.liabilities = math::add(self.liabilities, deposit)?;
        self.total_deposited = self.total_deposited.wrapping_add(deposit);
        self.invariant()
    }

    /// The `held` deposit of a request ends: `deposit` of it becomes a rental's, which [`Vault::escrow`] counts, and
    /// the rest is refunded. Gives the refund.
    pub fn release(&mut self, held: u64, deposit: u64) -> Result<u64> {
        let refunded = math::sub(held, deposit)?;
        self.liabilities = math::sub(self.liabilities, held)?;
        self.total_deposited = self.total_deposited.wrapping_sub(deposit);
        self.total_refunded = self.total_refunded.wrapping_add(refunded);
        self.invariant()?;
        Ok(refunded)
    }

    /// The subsidy pool grows by tokens that come in.
    pub fn fund(&mut self, amount: u64) -> Result<()> {
        self.subsidy_pool = math::add(self.subsidy_pool, amount)?;
        self.total_funded = self.total_funded.wrapping_add(amount);
        self.invariant()
    }

    /// Takes out of the subsidy pool what no rental has reserved.
    pub fn withdraw(&mut self, amount: u64) -> Result<()> {
        self.subsidy_pool = math::sub(self.subsidy_pool, amount)?;
        self.total_withdrawn = self.total_withdrawn.wrapping_add(amount);
        self.invariant()
    }

    /// Base units that the vault's token account holds at least.
    pub fn held(&self) -> Result<u64> {
        let due = math::add(math::add(self.fees_due, self.stakers_due)?, self.treasury_due)?;
        math::add(math::add(self.liabilities, due)?, self.subsidy_pool)
    }

    /// A host is paid out of escrow.
    pub fn pay(&mut self, amount: u64) -> Result<()> {
        self.liabilities = math::sub(self.liabilities, amount)?;
        self.total_paid = self.total_paid.wrapping_add(amount);
        self.invariant()
    }

    /// Escrow goes back to the renter who put it in.
    pub fn give_back(&mut self, amount: u64) -> Result<()> {
        self.liabilities = math::sub(self.liabilities, amount)?;
        self.total_refunded = self.total_refunded.wrapping_add(amount);
        self.invariant()
    }

    /// The holder of a machine gets `amount` out of the escrow of the order that waits for it; `kept` of it is a fee.
    pub fn compensate(&mut self, amount: u64, kept: u64) -> Result<()> {
        self.liabilities = math::sub(self.liabilities, amount)?;
        self.fees_due = math::add(self.fees_due, kept)?;
        self.total_compensated = self.total_compensated.wrapping_add(math::sub(amount, kept)?);
        self.invariant()
    }

    /// Turns into a fee what a host has earned and does not get.
    pub fn keep(&mut self, amount: u64) -> Result<()> {
        self.liabilities = math::sub(self.liabilities, amount)?;
        self.fees_due = math::add(self.fees_due, amount)?;
        self.invariant()
    }

    /// A rental's whole remaining escrow is divided; what is `owed` of it stays.
    pub fn divide(&mut self, escrow: u64, split: &Split, owed: &Owed, now: i64) -> Result<()> {
        let out = math::add(math::add(split.paid, split.burned)?, split.refunded)?;
        let kept = math::add(split.fees, split.subsidy_returned)?;
        let rest = math::sub(escrow, split.compensation)?;
        require!(rest == math::add(out, kept)?, MarketError::LedgerMismatch);
        let paid = math::sub(split.paid, math::add(owed.host, owed.held)?)?;
        let refunded = math::sub(split.refunded, owed.renter)?;
        let stays = math::add(math::add(owed.host, owed.held)?, owed.renter)?;
        self.liabilities = math::add(math::sub(self.liabilities, escrow)?, stays)?;
        self.fees_due = math::add(self.fees_due, split.fees)?;
        self.return_subsidy(split.subsidy_returned, now)?;
        self.open_rentals = math::sub(self.open_rentals, 1)?;
        self.total_paid = self.total_paid.wrapping_add(paid);
        self.total_burned = self.total_burned.wrapping_add(split.burned);
        self.total_refunded = self.total_refunded.wrapping_add(refunded);
        if split.compensation > 0 {
            let compensated = math::sub(split.compensation, split.compensation_kept)?;
            self.fees_due = math::add(self.fees_due, split.compensation_kept)?;
            self.total_compensated = self.total_compensated.wrapping_add(compensated);
        }
        self.invariant()
    }

    /// All fees due are divided: `burned` leaves, `treasury` and `stakers` wait for their payees.
    pub fn sweep(&mut self, burned: u64, treasury: u64, stakers: u64) -> Result<()> {
        let divided = math::add(math::add(burned, treasury)?, stakers)?;
        require!(self.fees_due == divided, MarketError::LedgerMismatch);
        self.fees_due = 0;
        self.stakers_due = math::add(self.stakers_due, stakers)?;
        self.treasury_due = math::add(self.treasury_due, treasury)?;
        self.total_burned = self.total_burned.wrapping_add(burned);
        self.invariant()
    }

    /// The treasury is paid what waits for it.
    pub fn pay_treasury(&mut self, amount: u64) -> Result<()> {
        self.treasury_due = math::sub(self.treasury_due, amount)?;
        self.total_swept = self.total_swept.wrapping_add(amount);
        self.invariant()
    }

    /// The stakers' waiting share leaves for their rewards; gives it.
    pub fn sweep_stakers(&mut self) -> Result<u64> {
        let amount = core::mem::take(&mut self.stakers_due);
        self.total_stakers = self.total_stakers.wrapping_add(amount);
        self.invariant()?;
        Ok(amount)
    }

    /// The stakers' waiting share leaves for the treasury; gives it.
    pub fn release_stakers(&mut self) -> Result<u64> {
        let amount = core::mem::take(&mut self.stakers_due);
        self.total_swept = self.total_swept.wrapping_add(amount);
        self.invariant()?;
        Ok(amount)
    }

    /// Everything that ever came in is held or went out, by its named way.
    pub fn invariant(&self) -> Result<()> {
        let held = self
            .liabilities
            .wrapping_add(self.fees_due)
            .wrapping_add(self.stakers_due)
            .wrapping_add(self.treasury_due)
            .wrapping_add(self.subsidy_pool);
        let out = self
            .total_paid
            .wrapping_add(self.total_burned)
            .wrapping_add(self.total_refunded)
            .wrapping_add(self.total_swept)
            .wrapping_add(self.total_stakers)
            .wrapping_add(self.total_compensated)
            .wrapping_add(self.total_withdrawn);
        let came = self.total_deposited.wrapping_add(self.total_funded);
        require!(came == held.wrapping_add(out), MarketError::LedgerMismatch);
        Ok(())
    }

    /// True if this vault holds the escrow of `rental`.
    pub fn holds(&self, rental: &Rental) -> bool {
        address_eq(&self.mint, &rental.mint) && self.shard[0] == rental.shard
    }

    /// True if this vault holds the deposit of `request`.
    pub fn holds_request(&self, request: &Request) -> bool {
        address_eq(&self.mint, &request.mint) && self.shard[0] == request.shard
    }

    pub fn next_seq(&mut self) -> u64 {
        self.seq = self.seq.wrapping_add(1);
        self.seq
    }

    /// Seeds that the vault signs with.
    pub fn seeds<'a>(&'a self, bump: &'a [u8; 1]) -> [Seed<'a>; 4] {
        [Seed::from(b"vault".as_slice()), Seed::from(self.mint.as_ref()), Seed::from(&self.shard), Seed::from(bump)]
    }
}
