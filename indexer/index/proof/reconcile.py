"""Compares the index's ledgers with the vaults' accounts of the same slot.

Nodes that lag look like an index that is wrong. So a difference is said once two looks, the second at a later slot,
have both found one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import structlog
from solders.pubkey import Pubkey
from sqlalchemy import Connection, Engine, delete, func, insert, select

from anchor_client.generated.accounts import Vault as VaultAccount
from anchor_client.kinds import LIVE_STATES, RequestState
from anchor_idl.runtime.errors import IdlError
from indexer.index.sources.head import Head
from indexer.metrics import MISMATCHES
from indexer.models import Listing, Meter, Reconciliation, Rental, Request, Vault
from indexer.store.database import writing

LEDGER = (
    "seq",
    "open_rentals",
    "liabilities",
    "fees_due",
    "stakers_due",
    "treasury_due",
    "subsidy_pool",
    "total_deposited",
    "total_funded",
    "total_paid",
    "total_burned",
    "total_refunded",
    "total_swept",
    "total_stakers",
    "total_compensated",
    "total_withdrawn",
    "subsidy_drawn",
    "subsidy_day",
)
HELD = ("liabilities", "fees_due", "stakers_due", "treasury_due", "subsidy_pool")
"""Columns of a vault that its token account has to cover."""
OPEN = tuple(state.value for state in LIVE_STATES)
TOKEN_AMOUNT = slice(64, 72)
MISMATCHED = select(func.count()).select_from(Reconciliation.table).where(Reconciliation.c.difference.is_not(None))

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class VaultAddresses:
    """A vault that the index knows, and its token account."""

    vault: str
    token_account: str


def known_vaults(engine: Engine) -> list[VaultAddresses]:
    """The vaults to compare."""
    with engine.connect() as connection:
        rows = connection.execute(select(Vault.c.address, Vault.c.token_account).order_by(Vault.c.address))
        return [VaultAddresses(row.address, row.token_account) for row in rows]


def addresses_of(vaults: Sequence[VaultAddresses]) -> list[Pubkey]:
    """Accounts to read with the head: vault, token account, vault, token account..."""
    return [Pubkey.from_string(text) for vault in vaults for text in (vault.vault, vault.token_account)]


@dataclass(frozen=True, slots=True)
class Proof:
    """Result of a comparison: differences by vault, those that it is the first to find, and all other vaults."""

    differences: Mapping[str, str]
    doubts: Mapping[str, str]
    agreeing: Collection[str]


def reconcile(
    engine: Engine, vaults: Sequence[VaultAddresses], head: Head, doubted: Mapping[str, int] | None = None
) -> Proof:
    """Compares vaults with `head`, which holds their `addresses_of`; the index must be complete up to its slot.

    Keeps the result for /health. A difference counts if the vault was `doubted` at an earlier slot; until then it
    changes nothing.
    """
    differences: dict[str, str] = {}
    doubts: dict[str, str] = {}
    with writing(engine) as connection:
        escrow = _open_escrow(connection)
        for vault, account, token in zip(vaults, head.accounts[::2], head.accounts[1::2], strict=True):
            row = connection.execute(select(Vault.table).where(Vault.c.address == vault.vault)).mappings().one()
            ledger = Vault(**row)
            difference = _difference(ledger, account, token, escrow[ledger.mint, ledger.shard])
            if difference is not None and (doubted or {}).get(vault.vault, head.slot) >= head.slot:
                doubts[vault.vault] = difference
                continue
            if difference is not None:
                differences[vault.vault] = difference
            _keep(connection, ledger, head, difference)
        MISMATCHES.set(connection.execute(MISMATCHED).scalar_one())
    for name, difference in differences.items():
        log.error("vault differs from the chain", vault=name, slot=head.slot, difference=difference)
    agreeing = {vault.vault for vault in vaults} - differences.keys() - doubts.keys()
    return Proof(differences, doubts, agreeing)


def _open_escrow(connection: Connection) -> defaultdict[tuple[str, int], int]:
    """Escrow of open rentals, meters and requests, what finished ones hold back, and what is still owed, by mint and
    shard.
    """
    escrow: defaultdict[tuple[str, int], int] = defaultdict(int)
    columns = select(Rental.c.mint, Rental.c.shard, Rental.c.deposit, Rental.c.subsidy, Rental.c.host_paid)
    for row in connection.execute(columns.where(Rental.c.status.in_(OPEN))):
        escrow[row.mint, row.shard] += row.deposit + row.subsidy - row.host_paid
    refunds = select(Rental.c.mint, Rental.c.shard, Rental.c.owed).where(Rental.c.owed > 0)
    for rental in connection.execute(refunds):
        escrow[rental.mint, rental.shard] += rental.owed
    finished = select(Rental.c.mint, Rental.c.shard, Rental.c.held).where(Rental.c.contest_by.is_not(None))
    for rental in connection.execute(finished):
        escrow[rental.mint, rental.shard] += rental.held
    payouts = select(Listing.c.owed_mint, Listing.c.owed_shard, Listing.c.owed).where(Listing.c.owed > 0)
    for payout in connection.execute(payouts):
        escrow[payout.owed_mint, payout.owed_shard] += payout.owed
    caps = select(Meter.c.mint, Meter.c.shard, Meter.c.cap, Meter.c.paid).where(Meter.c.closed_at.is_(None))
    for meter in connection.execute(caps):
        escrow[meter.mint, meter.shard] += meter.cap - meter.paid
    waiting = select(Request.c.mint, Request.c.shard, Request.c.deposit).where(
        Request.c.status == RequestState.OPEN.value
    )
    for request in connection.execute(waiting):
        escrow[request.mint, request.shard] += request.deposit
    return escrow


def _difference(ledger: Vault, data: bytes | None, token: bytes | None, escrow: int) -> str | None:
    if data is None or token is None:
        return "the account is not on the chain"
    try:
        account = VaultAccount.decode(data)
    except IdlError as error:
        return f"the account cannot be read: {error}"
    found = [
        f"{name} is {getattr(ledger, name)} here and {getattr(account, name)} on the chain"
        for name in LEDGER
        if getattr(ledger, name) != getattr(account, name)
    ]
    if escrow != ledger.liabilities:
        found.append(f"open rentals, meters and requests hold {escrow}, liabilities are {ledger.liabilities}")
    held = sum(getattr(account, name) for name in HELD)
    balance = int.from_bytes(token[TOKEN_AMOUNT], "little")
    if balance < held:
        found.append(f"the token account has {balance} of {held}")
    return "; ".join(found) or None


def _keep(connection: Connection, ledger: Vault, head: Head, difference: str | None) -> None:
    connection.execute(delete(Reconciliation.table).where(Reconciliation.c.vault == ledger.address))
    values = {"vault": ledger.address, "seq": ledger.seq, "slot": head.slot, "checked_at": head.unix_timestamp}
    connection.execute(insert(Reconciliation.table).values(**values, difference=difference))
