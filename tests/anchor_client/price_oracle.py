"""The real program as an oracle of prices: one rental on accounts of any numbers, in LiteSVM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from solders.account import Account as ChainAccount
from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.litesvm import LiteSVM
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.token.state import Mint, TokenAccount, TokenAccountState
from solders.transaction import VersionedTransaction
from solders.transaction_metadata import TransactionMetadata

from anchor_client.generated import instructions as build
from anchor_client.generated import pdas
from anchor_client.generated.accounts import Host, Listing, Market, PaymentMint, Rental, RenterProfile, Vault
from anchor_client.generated.events import EVENT_TAG, RentalClosed, RentalOpened, decode_cpi_event
from anchor_client.generated.program import PROGRAM_ID, TOKEN_PROGRAM
from anchor_client.generated.types import CloseReason, Order, RentalKind
from anchor_client.payment_tokens import payout_account, payout_bump
from anchor_client.rules.subsidy import host_to_end
from anchor_client.solana.tokens import associated_token
from anchor_idl.runtime.structs import Account, Event
from local_market.program import PROGRAM_PATH

Kind = TypeVar("Kind", bound=Account)
START = 1_800_000_000
RICH = 2**62
LAMPORTS = 10**9


@dataclass(frozen=True, slots=True)
class Terms:
    """Inputs of an order's price."""

    on_demand_usd: int
    price: int
    decimals: int
    kind: RentalKind
    duration: int
    on_demand_fee_bps: int
    reserved_fee_bps: int
    reserved_discount_bps: int
    extra_fee_bps: int
    subsidy_bps: int
    burn_bps: int
    holdback_bps: int
    holdback_window: int
    reference_usd: int = 2**32 - 1
    subsidy_max_hours: int = 3_000
    subsidy_budget: int = 2**63
    spot_fee_bps: int = 0
    bid_usd: int = 0
    """Of a spot order, whose machine takes any bid up to its price."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The program's result for an order."""

    opened: RentalOpened
    rental: Rental
    closed: RentalClosed


class PriceOracle:
    """Opens and ends rentals on any terms; the accounts are written straight into the bank."""

    def __init__(self) -> None:
        self._svm = LiteSVM().with_mainnet_features().with_blockhash_check(False).with_sigverify(False)
        self._svm.add_program_from_file(PROGRAM_ID, PROGRAM_PATH)
        self._renter, self._host_wallet, self._mint = Keypair(), Keypair(), Pubkey.new_unique()
        self._host = pdas.find_host(self._host_wallet.pubkey())[0]
        self._listing = pdas.find_listing(self._host, 0)[0]
        self._vault = pdas.find_vault(self._mint, 0)[0]
        self._nonce = 0
        for wallet in (self._renter, self._host_wallet):
            self._svm.airdrop(wallet.pubkey(), 1_000 * LAMPORTS)

    def run(self, terms: Terms, ending: str, seconds: int, settle_at: int | None = None) -> Outcome:
        """One rental: opened, started, settled if asked, then `stop`ped, or given up by its host at `seconds`."""
        self._write(terms)
        renter, host = self._renter.pubkey(), self._host_wallet.pubkey()
        nonce, self._nonce = self._nonce, self._nonce + 1
        rental = pdas.find_rental(renter, nonce)[0]
        mint_data = self._read(PaymentMint, pdas.find_payment_mint(self._mint)[0])
        order = Order(terms.kind, terms.duration, RICH, bytes(32), terms.bid_usd, 1, False)
        opening = build.open_rental(
            nonce=nonce,
            order=order,
            renter=renter,
            vault=self._vault,
            payment_mint_data=mint_data,
            listing=self._listing,
            host=self._host,
            host_stake=pdas.find_stake(host)[0],
        )
        (opened,) = self._send(self._renter, opening)
        assert isinstance(opened, RentalOpened)
        host_payout = payout_account(host, self._mint)
        self._send(
            self._host_wallet,
            build.accept_rental(connection=b"x", operator=host, rental=rental, listing=self._listing),
            build.start_rental(operator=host, rental=rental, listing=self._listing),
        )
        if settle_at is not None:
            self._at(settle_at)
            self._send(
                self._host_wallet,
                build.settle_rental(
                    caller=host,
                    rental=rental,
                    rental_data=self._read(Rental, rental),
                    host_payout=host_payout,
                    payout_bump=payout_bump(host, self._mint),
                ),
            )
        self._at(seconds)
        data = self._read(Rental, rental)
        signer = self._renter if ending == "stop" else self._host_wallet
        accounts: dict[str, Any] = {
            "caller": signer.pubkey(),
            "rental": rental,
            "rental_data": data,
            "host_payout": host_payout,
            "renter_payout": payout_account(data.renter, self._mint),
            "mint": self._mint if data.burn_rate else None,
            "host": host_to_end(data, self._read(Listing, self._listing)),
        }
        if ending == "stop":
            instruction = build.stop_rental(**accounts)
        else:
            instruction = build.cancel_rental(reason=CloseReason.HOST_FAULT, **accounts)
        (closed,) = self._send(signer, instruction)
        assert isinstance(closed, RentalClosed)
        return Outcome(opened, data, closed)

    def _at(self, seconds: int) -> None:
        """Time since the start; the host has just sent a heartbeat."""
        self._set_clock(START + seconds)
        listing = self._read(Listing, self._listing)
        values = listing.field_values() | {"last_heartbeat_at": START + seconds}
        self._put(self._listing, Listing(**values))

    def _write(self, terms: Terms) -> None:
        self._set_clock(START)
        renter, host = self._renter.pubkey(), self._host_wallet.pubkey()
        market_address, market_bump = pdas.find_market()
        self._put(
            market_address,
            blank(
                Market,
                bump=market_bump,
                market_mint=self._mint,
                min_duration=1,
                max_duration=2**32 - 1,
                provision_timeout=60,
                offline_after=60,
                on_demand_fee_bps=terms.on_demand_fee_bps,
                reserved_fee_bps=terms.reserved_fee_bps,
                spot_fee_bps=terms.spot_fee_bps,
                reserved_discount_bps=terms.reserved_discount_bps,
                holdback_bps=terms.holdback_bps,
                holdback_window=terms.holdback_window,
                quota_base=1,
                quota_region_base=1,
                subsidy_max_hours=terms.subsidy_max_hours,
                subsidy_daily_bps=10_000,
            ),
        )
        mint_address, mint_bump = pdas.find_payment_mint(self._mint)
        self._put(
            mint_address,
            blank(
                PaymentMint,
                bump=mint_bump,
                mint=self._mint,
                enabled=1,
                shards=1,
                price=terms.price,
                decimals=terms.decimals,
                extra_fee_bps=terms.extra_fee_bps,
                subsidy_bps=terms.subsidy_bps,
                burn_bps=terms.burn_bps,
            ),
        )
        vault_token = associated_token(self._vault, self._mint)
        self._put(
            self._vault,
            blank(
                Vault,
                bump=pdas.find_vault(self._mint, 0)[1],
                mint=self._mint,
                token_account=vault_token,
                subsidy_pool=RICH,
                total_funded=RICH,
            ),
        )
        self._put(
            self._host,
            blank(
                Host,
                approved=1,
                authority=host,
                stake=pdas.find_stake(host)[0],
                subsidy_budget=terms.subsidy_budget,
            ),
        )
        self._put(
            self._listing,
            blank(
                Listing,
                spec_version=1,
                host=self._host,
                authority=host,
                operator=host,
                visible=1,
                on_demand_usd=terms.on_demand_usd,
                spot_min_usd=1,
                gpu_count=1,
                reference_usd=terms.reference_usd,
                mrl_seconds=2**32 - 1,
                last_heartbeat_at=START,
            ),
        )
        profile, profile_bump = pdas.find_renter_profile(renter)
        self._put(
            profile,
            blank(
                RenterProfile,
                bump=profile_bump,
                stake=pdas.find_stake(renter)[0],
                wallet=renter,
                next_nonce=self._nonce,
            ),
        )
        supply = Mint(None, 2**63, terms.decimals, True, None)
        self._svm.set_account(self._mint, ChainAccount(LAMPORTS, bytes(supply), TOKEN_PROGRAM))
        for owner, amount in ((self._vault, RICH), (renter, RICH), (host, 0)):
            self._put_tokens(owner, amount)

    def _set_clock(self, unix_timestamp: int) -> None:
        clock = self._svm.get_clock()
        clock.unix_timestamp = unix_timestamp
        self._svm.set_clock(clock)
        self._svm.expire_blockhash()

    def _put(self, address: Pubkey, account: Account) -> None:
        self._svm.set_account(address, ChainAccount(LAMPORTS, account.encode(), PROGRAM_ID))

    def _put_tokens(self, owner: Pubkey, amount: int) -> None:
        state = TokenAccount(
            mint=self._mint,
            owner=owner,
            amount=amount,
            delegate=None,
            state=TokenAccountState.Initialized,
            is_native=None,
            delegated_amount=0,
            close_authority=None,
        )
        self._svm.set_account(associated_token(owner, self._mint), ChainAccount(LAMPORTS, bytes(state), TOKEN_PROGRAM))

    def _read(self, kind: type[Kind], address: Pubkey) -> Kind:
        account = self._svm.get_account(address)
        assert account is not None
        return kind.decode(account.data)

    def _send(self, payer: Keypair, *instructions: Instruction) -> Sequence[Event]:
        message = MessageV0.try_compile(payer.pubkey(), instructions, [], self._svm.latest_blockhash())
        result = self._svm.send_transaction(VersionedTransaction(message, [payer]))
        assert isinstance(result, TransactionMetadata), result
        data = [bytes(inner.instruction().data) for group in result.inner_instructions() for inner in group]
        return [decode_cpi_event(item) for item in data if item.startswith(EVENT_TAG)]


def blank(kind: type[Kind], **values: Any) -> Kind:
    """An account whose other fields are all zero."""
    size: int = vars(kind)["SIZE"]
    zeros = kind.decode(kind.DISCRIMINATOR + bytes(size - len(kind.DISCRIMINATOR)))
    return kind(**zeros.field_values() | {"version": 1} | values)
