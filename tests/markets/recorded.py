"""A small market on the embedded cluster, run through the program's own instructions."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any

from solders.account import Account
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.transaction import VersionedTransaction

from anchor_client.generated import instructions as ix
from anchor_client.generated import pdas
from anchor_client.generated.accounts import Listing, PaymentMint, Rental, Request, Vault
from anchor_client.generated.constants import ANY_REGION
from anchor_client.generated.program import PROGRAM_ID, TOKEN_PROGRAM
from anchor_client.generated.types import (
    CloseReason,
    ListingSpec,
    MarketKey,
    MarketKeys,
    MarketParameter,
    OracleKind,
    Order,
    PauseArea,
    PaymentMintTerms,
    RentalIssue,
    RentalKind,
    RequestOrder,
)
from indexer.transaction import Transaction, transaction_from_json
from local_market.program import PROGRAM_PATH
from localnet.cluster import Cluster
from localnet.encoding.transactions import transaction_with_meta
from localnet.loader import program_data_address
from localnet.records import TransactionRecord
from tests.markets.spec import DAY, spec_with

SOL = 1_000_000_000
TOKEN = 1_000_000
HOUR = 3_600


def spec(**changes: Any) -> ListingSpec:
    """An H100 at $2.76 an hour in Paris, with changes."""
    usual = {"gpu_count": 1, "on_demand_usd": 2_760_000, "spot_min_usd": 0, "mrl_seconds": 90 * DAY}
    return spec_with(**(usual | changes))


@dataclass
class Renter:
    """A wallet with its next nonce."""

    key: Keypair = field(default_factory=Keypair)
    next_nonce: int = 0

    @property
    def address(self) -> Pubkey:
        return self.key.pubkey()


class Market:
    """The market token with subsidy and burn, USDC at an oracle's price, one approved host."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.records: list[TransactionRecord] = []
        self.authority, self.host_key, self.oracle = Keypair(), Keypair(), Keypair()
        self.gpum, self.usdc = Pubkey.new_unique(), Pubkey.new_unique()
        self.listings: list[Pubkey] = []
        cluster.add_program(PROGRAM_ID, PROGRAM_PATH, upgrade_authority=self.authority.pubkey())
        for mint in (self.gpum, self.usdc):
            self._set(mint, _mint(10**18), TOKEN_PROGRAM)
        for key in (self.authority, self.host_key, self.oracle):
            cluster.airdrop(key.pubkey(), 100 * SOL)
        for owner in (self.authority, self.host_key):
            for mint in (self.gpum, self.usdc):
                self.give(owner.pubkey(), mint, 10**12)

    def open(self) -> None:
        """Initializes the market, its mints, vaults and pool, and an approved host."""
        authority = self.authority.pubkey()
        keys = MarketKeys(guardian=authority, treasury=authority)
        data = program_data_address(PROGRAM_ID)
        self.send(
            self.authority,
            ix.initialize_market(keys=keys, authority=authority, program_data=data, market_mint=self.gpum),
            self.parameter(MarketParameter.MIN_DURATION, 60),
            self.parameter(MarketParameter.PRIORITY_WINDOW, 0),
            self.parameter(MarketParameter.ORDER_MIN_USD, 0),
        )
        self.send(
            self.authority,
            ix.add_payment_mint(terms=self.token_terms(), authority=authority, mint=self.gpum),
            ix.add_payment_mint(terms=self.usdc_terms(), authority=authority, mint=self.usdc),
        )
        for mint in (self.gpum, self.usdc):
            self.give(self.vault(mint), mint, 0)
            self.send(self.authority, ix.add_vault(shard=0, caller=authority, mint=mint))
        vault_data = self.account(Vault, self.vault(self.gpum))
        token = _associated(authority, self.gpum)
        fund = ix.fund_subsidy(amount=10**11, funder=authority, funder_token=token, vault_data=vault_data)
        self.send(self.authority, fund)
        self.post_price(1_000_000_000_000)
        catalog = pdas.find_catalog()[0]
        self.give(catalog, self.gpum, 0)
        self.send(
            self.authority,
            ix.initialize_catalog(authority=authority, catalog_token=_associated(catalog, self.gpum)),
            ix.set_gpu_points(model=1, points=100, authority=authority),
        )
        host = self.host_key.pubkey()
        self.send(self.host_key, ix.register_host(seal_key=bytes([7] * 32), authority=host))
        self.send(self.authority, ix.approve_host(approved=True, authority=authority, host=self.host))

    @property
    def host(self) -> Pubkey:
        return pdas.find_host(self.host_key.pubkey())[0]

    def vault(self, mint: Pubkey) -> Pubkey:
        return pdas.find_vault(mint, 0)[0]

    def payment_mint(self, mint: Pubkey) -> Pubkey:
        return pdas.find_payment_mint(mint)[0]

    def token_terms(self, **changes: Any) -> PaymentMintTerms:
        values: dict[str, Any] = {
            "oracle_kind": OracleKind.PINNED,
            "enabled": True,
            "shards": 1,
            "oracle": Pubkey.default(),
            "pinned_price": 50_000_000_000,
            "max_age": 0,
            "subsidy_bps": 8_000,
            "burn_bps": 1_000,
            "extra_fee_bps": 0,
            "max_confidence_bps": 0,
        }
        return PaymentMintTerms(**(values | changes))

    def usdc_terms(self) -> PaymentMintTerms:
        return self.token_terms(
            oracle_kind=OracleKind.POSTED,
            oracle=self.oracle.pubkey(),
            pinned_price=0,
            max_age=10**9,
            subsidy_bps=0,
            burn_bps=0,
            extra_fee_bps=300,
        )

    def parameter(self, parameter: MarketParameter, value: int) -> Instruction:
        return ix.update_market(parameter=parameter, value=value, authority=self.authority.pubkey())

    def post_price(self, price: int) -> TransactionRecord:
        payment_mint = self.payment_mint(self.usdc)
        post = ix.post_price(price=price, oracle=self.oracle.pubkey(), payment_mint=payment_mint)
        return self.send(self.oracle, post)

    def list_machine(self, **changes: Any) -> Pubkey:
        """A new listing, with a first heartbeat."""
        number = len(self.listings)
        create = ix.create_listing(id=number, spec=spec(**changes), authority=self.host_key.pubkey())
        self.send(self.host_key, create)
        listing = pdas.find_listing(self.host, number)[0]
        self.listings.append(listing)
        self.beat(listing)
        return listing

    def beat(self, *listings: Pubkey) -> TransactionRecord:
        metas = [AccountMeta(listing, is_signer=False, is_writable=True) for listing in listings or self.listings]
        authority = self.host_key.pubkey()
        return self.send(self.host_key, ix.heartbeat(authority=authority, host=self.host, remaining_accounts=metas))

    def update_reputation(self) -> TransactionRecord:
        """Counts all listings, and scores the host when that is due."""
        metas = [AccountMeta(listing, is_signer=False, is_writable=True) for listing in self.listings]
        return self.send(self.oracle, ix.update_reputation(host=self.host, remaining_accounts=metas))

    def close(self, listing: Pubkey) -> TransactionRecord:
        """Takes an idle listing off the market."""
        record = self.send(
            self.host_key, ix.close_listing(authority=self.host_key.pubkey(), host=self.host, listing=listing)
        )
        self.listings.remove(listing)
        return record

    def renter(self, tokens: int = 10**12) -> Renter:
        """A registered renter with both tokens."""
        renter = Renter()
        self.cluster.airdrop(renter.address, 10 * SOL)
        for mint in (self.gpum, self.usdc):
            self.give(renter.address, mint, tokens)
        self.send(renter.key, ix.register_renter(caller=renter.address, wallet=renter.address))
        return renter

    def open_rental(
        self, renter: Renter, listing: Pubkey, *, mint: Pubkey | None = None, duration: int = HOUR
    ) -> Pubkey:
        instruction = self.open_instruction(renter, listing, mint=mint, duration=duration)
        self.send(renter.key, instruction)
        rental = pdas.find_rental(renter.address, renter.next_nonce)[0]
        renter.next_nonce += 1
        return rental

    def open_instruction(
        self,
        renter: Renter,
        listing: Pubkey,
        *,
        mint: Pubkey | None = None,
        duration: int = HOUR,
        max_deposit: int = 2**64 - 1,
        nonce: int | None = None,
    ) -> Instruction:
        number = renter.next_nonce if nonce is None else nonce
        return ix.open_rental(
            **self.order(renter, listing, mint=mint, duration=duration, max_deposit=max_deposit), nonce=number
        )

    def order(
        self,
        renter: Renter,
        listing: Pubkey,
        *,
        mint: Pubkey | None = None,
        kind: RentalKind = RentalKind.ON_DEMAND,
        bid_usd: int = 0,
        duration: int = HOUR,
        max_deposit: int = 2**64 - 1,
    ) -> dict[str, Any]:
        """Arguments of every instruction that takes an order, but the nonce."""
        mint = mint or self.gpum
        payment_mint = self.payment_mint(mint)
        return {
            "order": Order(
                kind=kind, duration=duration, max_deposit=max_deposit, order_hash=bytes([9] * 32), bid_usd=bid_usd
            ),
            "renter": renter.address,
            "payment_mint": payment_mint,
            "vault": self.vault(mint),
            "listing": listing,
            "listing_data": self.account(Listing, listing),
            "payment_mint_data": self.account(PaymentMint, payment_mint),
        }

    def open_request(self, renter: Renter, *, mint: Pubkey | None = None, **changes: Any) -> Pubkey:
        """A request for the market's usual machine, with changes of its order."""
        mint = mint or self.gpum
        payment_mint = self.payment_mint(mint)
        values: dict[str, Any] = {
            "kind": RentalKind.ON_DEMAND,
            "gpu_model": 1,
            "gpu_count": 1,
            "regions": 0,
            "near_region": ANY_REGION,
            "min_score_bps": 0,
            "duration": HOUR,
            "max_usd": 3_000_000,
            "deposit": 100 * TOKEN,
            "expires_at": self.cluster.clock.unix_timestamp + HOUR,
            "order_hash": bytes([9] * 32),
        }
        instruction = ix.open_request(
            nonce=renter.next_nonce,
            order=RequestOrder(**(values | changes)),
            renter=renter.address,
            payment_mint=payment_mint,
            vault=self.vault(mint),
            payment_mint_data=self.account(PaymentMint, payment_mint),
        )
        self.send(renter.key, instruction)
        request = pdas.find_request(renter.address, renter.next_nonce)[0]
        renter.next_nonce += 1
        return request

    def end_request(self, name: str, signer: Keypair, request: Pubkey) -> TransactionRecord:
        """cancel_request or expire_request."""
        data = self.account(Request, request)
        return self.send(signer, getattr(ix, name)(caller=signer.pubkey(), request=request, request_data=data))

    def match(self, request: Pubkey, listing: Pubkey) -> Pubkey:
        """The rental that the oracle's match opens."""
        data = self.account(Request, request)
        instruction = ix.match_request(
            caller=self.oracle.pubkey(),
            request=request,
            request_data=data,
            listing=listing,
            listing_data=self.account(Listing, listing),
        )
        self.send(self.oracle, instruction)
        return pdas.find_rental(data.renter, data.nonce)[0]

    def accept(self, rental: Pubkey) -> TransactionRecord:
        return self.send(self.host_key, *self.accept_instructions(rental)[:1])

    def start(self, rental: Pubkey) -> TransactionRecord:
        return self.send(self.host_key, *self.accept_instructions(rental)[1:])

    def accept_instructions(self, rental: Pubkey) -> list[Instruction]:
        data = self.account(Rental, rental)
        authority, listing = self.host_key.pubkey(), self.account(Listing, data.listing)
        return [
            ix.accept_rental(
                connection=b"sealed", authority=authority, rental=rental, rental_data=data, listing_data=listing
            ),
            ix.start_rental(authority=authority, rental=rental, listing=data.listing),
        ]

    def run(self, renter: Renter, listing: Pubkey, **terms: Any) -> Pubkey:
        """A running rental."""
        rental = self.open_rental(renter, listing, **terms)
        self.accept(rental)
        self.start(rental)
        return rental

    def settle(self, rental: Pubkey) -> TransactionRecord:
        data = self.account(Rental, rental)
        listing = self.account(Listing, data.listing)
        return self.send(self.host_key, ix.settle_rental(rental_data=data, listing_data=listing))

    def rate(self, renter: Renter, rental: Pubkey, rating: int) -> TransactionRecord:
        data = self.account(Rental, rental)
        instruction = ix.rate_rental(rating=rating, renter=renter.address, rental=rental, listing=data.listing)
        return self.send(renter.key, instruction)

    def extend(self, renter: Renter, rental: Pubkey, seconds: int) -> TransactionRecord:
        data = self.account(Rental, rental)
        vault = self.account(Vault, self.vault(data.mint))
        return self.send(
            renter.key,
            ix.extend_rental(
                seconds=seconds,
                max_deposit=2**64 - 1,
                renter=renter.address,
                rental_data=data,
                listing_data=self.account(Listing, data.listing),
                vault_data=vault,
            ),
        )

    def report_issue(self, renter: Renter, rental: Pubkey, issue: RentalIssue) -> TransactionRecord:
        return self.send(renter.key, ix.report_issue(issue=issue, renter=renter.address, rental=rental))

    def stop(self, renter: Renter, rental: Pubkey) -> TransactionRecord:
        return self.end("stop_rental", renter.key, rental)

    def finalize(self, rental: Pubkey) -> TransactionRecord:
        return self.end("finalize_rental", self.oracle, rental)

    def cancel(self, rental: Pubkey, reason: CloseReason) -> TransactionRecord:
        return self.end("cancel_rental", self.host_key, rental, reason=reason)

    def end(self, name: str, signer: Keypair, rental: Pubkey, **arguments: Any) -> TransactionRecord:
        data = self.account(Rental, rental)
        listing = self.account(Listing, data.listing)
        instruction = getattr(ix, name)(
            caller=signer.pubkey(),
            rental_data=data,
            listing_data=listing,
            mint=data.mint if data.burn_rate else None,
            **arguments,
        )
        return self.send(signer, instruction)

    def administer(self, listing: Pubkey) -> None:
        """Everything an authority and a host may change; the listing, idle, is closed."""
        authority, host = self.authority.pubkey(), self.host_key.pubkey()
        payment_mint, changed = self.payment_mint(self.gpum), self.token_terms(burn_bps=500)
        for mint in (self.gpum, self.usdc):
            sweep = ix.sweep_fees(
                caller=authority,
                vault=self.vault(mint),
                vault_data=self.account(Vault, self.vault(mint)),
                treasury_token=_associated(authority, mint),
            )
            self.send(self.authority, sweep)
        self.send(
            self.authority,
            ix.update_payment_mint(terms=changed, authority=authority, payment_mint=payment_mint),
            ix.update_market_key(key=MarketKey.GUARDIAN, new=host, authority=authority),
            ix.set_paused(area=PauseArea.ORDERS, paused=True, caller=authority),
            ix.set_paused(area=PauseArea.ORDERS, paused=False, caller=authority),
        )
        self.send(
            self.host_key,
            ix.update_host(seal_key=bytes([8] * 32), authority=host, host=self.host),
            ix.update_listing(spec=spec(on_demand_usd=3_000_000), authority=host, listing=self.listings[0]),
        )
        self.close(listing)

    def pass_time(self, seconds: int) -> None:
        """Moves the clock, with a heartbeat at least every two minutes."""
        while seconds > 0:
            step = min(seconds, 120)
            self.cluster.warp(step)
            self.beat()
            seconds -= step

    def send(self, payer: Keypair, *instructions: Instruction) -> TransactionRecord:
        """Runs a transaction that is to succeed."""
        record = self.try_send(payer, *instructions)
        assert record.err is None, (record.err, record.meta["logMessages"])
        return record

    def try_send(self, payer: Keypair, *instructions: Instruction) -> TransactionRecord:
        return self.try_send_all([payer], *instructions)

    def transactions(self) -> list[Transaction]:
        """Everything sent, as a node tells it."""
        return [as_transaction(record) for record in self.records]

    def try_send_all(self, signers: list[Keypair], *instructions: Instruction) -> TransactionRecord:
        """Runs a transaction of several signers, the first of whom pays."""
        payer = signers[0].pubkey()
        message = MessageV0.try_compile(payer, list(instructions), [], self.cluster.latest_blockhash())
        record = self.cluster.execute(VersionedTransaction(message, signers))
        self.records.append(record)
        return record

    def give(self, owner: Pubkey, mint: Pubkey, amount: int) -> None:
        """Makes the owner's associated token account with a balance."""
        self._set(_associated(owner, mint), _token(mint, owner, amount), TOKEN_PROGRAM)

    def balance(self, owner: Pubkey, mint: Pubkey) -> int:
        account = self.cluster.account(_associated(owner, mint))
        assert account is not None
        return int(struct.unpack_from("<Q", account.data, 64)[0])

    def account(self, kind: Any, address: Pubkey) -> Any:
        account = self.cluster.account(address)
        assert account is not None, address
        return kind.decode(account.data)

    def _set(self, address: Pubkey, data: bytes, owner: Pubkey) -> None:
        self.cluster.set_account(address, Account(SOL, data, owner))


def result_of(record: TransactionRecord) -> dict[str, Any]:
    """getTransaction's answer for a record."""
    encoded = transaction_with_meta(record, "json", 1)
    return {"slot": record.slot, "transactionIndex": record.index, "blockTime": 1_700_000_000 + record.slot, **encoded}


def as_transaction(record: TransactionRecord) -> Transaction:
    return transaction_from_json(result_of(record))


def _associated(owner: Pubkey, mint: Pubkey) -> Pubkey:
    return pdas.find_associated_token(owner, TOKEN_PROGRAM, mint)[0]


def _mint(supply: int) -> bytes:
    return struct.pack("<I32sQBBI32s", 0, bytes(32), supply, 6, 1, 0, bytes(32))


def _token(mint: Pubkey, owner: Pubkey, amount: int) -> bytes:
    return struct.pack("<32s32sQ36sB12sQ36s", bytes(mint), bytes(owner), amount, bytes(36), 1, bytes(12), 0, bytes(36))
