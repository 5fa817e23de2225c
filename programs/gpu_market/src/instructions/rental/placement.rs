//! The one path by which an order becomes a rental, whoever brings it and wherever its deposit comes from.

use crate::*;
use pinocchio::cpi::Seed;

/// The accounts that an order of `renter` needs, and what the new rental is called.
pub struct Placement<'a> {
    pub renter: &'a Address,
    pub deposit: Deposit<'a>,
    pub market: &'a Account<Market>,
    pub payment_mint: &'a Account<PaymentMint>,
    pub vault: &'a mut Account<Vault>,
    pub listing: &'a mut Account<Listing>,
    pub host: &'a mut Account<Host>,
    pub renter_profile: &'a mut Account<RenterProfile>,
    pub rental: &'a UncheckedAccount,
    pub renter_stake: &'a UncheckedAccount,
    pub host_stake: &'a UncheckedAccount,
    pub price_feed: &'a Option<UncheckedAccount>,
    pub nonce: u64,
    pub bump: u8,
    pub tip_lamports: u32,
    pub now: i64,
}

/// The placement of an order that its renter pays for, by the accounts that `open_rental`, `place_bid` and `outbid`
/// name alike.
macro_rules! placement {
    ($ctx:ident, $accounts:ident, $nonce:ident, $now:ident) => {
        Placement {
            renter: $accounts.renter.address(),
            deposit: Deposit::Paid {
                signer: &$accounts.renter,
                from: &$accounts.renter_token,
                to: &$accounts.vault_token,
            },
            market: &$accounts.market,
            payment_mint: &$accounts.payment_mint,
            vault: &mut $accounts.vault,
            listing: &mut $accounts.listing,
            host: &mut $accounts.host,
            renter_profile: &mut $accounts.renter_profile,
            rental: &$accounts.rental,
            renter_stake: &$accounts.renter_stake,
            host_stake: &$accounts.host_stake,
            price_feed: &$accounts.price_feed,
            nonce: u64::from_le_bytes($nonce),
            bump: creation::bump_of(
                &[b"rental", $accounts.renter.address().as_ref(), &$nonce],
                $accounts.rental.address(),
            )?,
            tip_lamports: $accounts.market.tip_lamports,
            now: $now,
        }
    };
}
pub(crate) use placement;

/// Sources of the deposit and the tip.
pub enum Deposit<'a> {
    /// The renter pays them now, under the next of their nonces.
    Paid { signer: &'a Signer, from: &'a UncheckedAccount, to: &'a UncheckedAccount },
    /// A request has brought them in, and used its nonce; its own end moves them on. `payer` advances the rent.
    Held { payer: &'a Signer },
}

impl Placement<'_> {
    /// Checks and prices the order, escrows its cost and writes its rental, which enters the listing by `enter`; that
    /// is given the listing, the rental's address and the renter's active stake.
    pub fn escrow(
        self,
        order: &Order,
        enter: impl FnOnce(&mut Listing, &Address, u64) -> Result<()>,
    ) -> Result<Opened> {
        order.require_allowed(self.market, self.host, self.listing, self.renter, self.now)?;
        let stakes = Stakes {
            renter: active_stake(self.renter_stake, &self.renter_profile.stake, self.now)?,
            host: active_stake(self.host_stake, &self.host.stake, self.now)?,
        };
        enter(self.listing, self.rental.address(), stakes.renter)?;
        self.fill(order, stakes)
    }

    #[inline(never)]
    fn fill(self, order: &Order, stakes: Stakes) -> Result<Opened> {
        let Self { renter, market, payment_mint: mint, vault, listing, host, rental, now, nonce, .. } = self;
        let token_price = mint.fresh_price(now, self.price_feed.as_ref().map(|feed| feed.account()))?;
        let quote = order.quote(market, mint, vault, host, listing, stakes, token_price, now)?;
        if let Deposit::Paid { from, .. } = self.deposit {
            let balance = token::balance_of(from.account(), &mint.mint, renter)?;
            require!(balance >= quote.deposit, MarketError::InsufficientFunds);
            self.renter_profile.use_nonce(nonce)?;
        }
        self.renter_profile.begin_rental(market, listing.region, stakes.renter)?;
        vault.escrow(quote.deposit, quote.subsidy, now)?;
        let (mut host_booked, mut host_seq, mut subsidy_day) = (0, 0, 0);
        if quote.subsidy > 0 {
            host.book_subsidy(quote.subsidy, now)?;
            (host_booked, host_seq, subsidy_day) = (host.subsidy_booked, host.next_seq(), host.subsidy_day);
        }
        vault.open_rentals = math::add(vault.open_rentals, 1)?;
        let (payer, tip, is_matched) = match self.deposit {
            Deposit::Paid { signer, from, to } => {
                token::transfer(from.account(), to.account(), signer.account(), quote.deposit, &[]);
                (signer, self.tip_lamports, false)
            }
            Deposit::Held { payer } => {
                listing.matcher = *payer.address();
                (payer, 0, true)
            }
        };
        let (nonce_bytes, bump) = (nonce.to_le_bytes(), [self.bump]);
        let seeds = [b"rental".as_slice(), renter.as_ref(), &nonce_bytes, &bump].map(Seed::from);
        let mut rental = creation::create::<Rental>(rental.account(), payer.account(), tip.into(), &seeds)?;
        order.write(&mut rental, self.bump, renter, nonce, listing.address(), market, vault, &quote, now)?;
        rental.tip_lamports = self.tip_lamports;
        rental.is_matched = is_matched.into();
        rental.subsidy_day = subsidy_day;

        rental.next_seq();
        Ok(Opened {
            rental,
            subsidy: quote.subsidy,
            host_booked,
            host_seq,
            listing_seq: listing.next_seq(),
            vault_seq: vault.next_seq(),
        })
    }
}
