"""The TypeScript client signs what was asked for, and nothing else that an API may draft."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.system_program import TransferParams, transfer

from anchor_client.generated import instructions as build
from anchor_client.generated.pdas import find_payment_mint, find_rental
from anchor_client.generated.program import PROGRAM_ID, TOKEN_PROGRAM
from anchor_client.generated.types import Charges, Order, RentalKind
from anchor_client.market.purse import Purse
from anchor_client.solana.tokens import NATIVE_MINT, create_associated_token
from anchor_client.solana.transactions import MessageVersion
from anchor_client.solana.transactions.message import ComputeBudget, unsigned
from tests.clients.package import Twin

pytestmark = pytest.mark.xdist_group("typescript")

WALLET, OTHER, LISTING, MINT, VAULT = (Keypair.from_seed(bytes([n]) * 32).pubkey() for n in range(1, 6))
RENTAL = find_rental(WALLET, 7)[0]
HASH = bytes(range(32))
RENT = {"listing": str(LISTING), "duration": 3600, "maxCost": "1000", "pay": str(MINT)}
ORDER = Order(
    kind=RentalKind.ON_DEMAND,
    duration=3600,
    max_deposit=1000,
    order_hash=HASH,
    bid_usd=0,
    spec_version=1,
    may_finish=False,
)


def opening(mint: Pubkey = MINT, **changed: Any) -> Instruction:
    """The order itself."""
    order = replace(ORDER, **{name: changed.pop(name) for name in list(changed) if hasattr(ORDER, name)})
    accounts = dict.fromkeys(["vault", "vault_token", "host", "renter_token", "renter_stake", "host_stake"], VAULT)
    accounts |= {"renter": WALLET, "listing": LISTING, "rental": RENTAL, "payment_mint": find_payment_mint(mint)[0]}
    return by(build.open_rental, nonce=7, order=order, **accounts | changed)


def meter(cap: int, **changed: Any) -> Instruction:
    """A cap on charges."""
    accounts = {"renter": WALLET, "rental": RENTAL, "payment_mint": find_payment_mint(MINT)[0]}
    return by(build.open_meter, cap=cap, storage_gb=1, agreed=Charges(1, 2, 3), **accounts | changed)


def by(builder: Callable[..., Instruction], **given: Any) -> Instruction:
    """An instruction whose other accounts are anyone's."""
    spec = next(spec for spec in build.INSTRUCTIONS.values() if spec.name == builder.__name__)
    derived = {"system_program", "token_program", "event_authority", "program"}
    arguments = {name: value for name, value in given.items() if name in spec.args.layouts}
    named = {name: given.get(name, VAULT) for name in spec.accounts if name not in derived}
    programs = {"system_program": Pubkey.default(), "token_program": TOKEN_PROGRAM, "program": PROGRAM_ID}
    metas = [
        AccountMeta(named.get(name) or programs.get(name, VAULT), name in ("renter", "caller", "owner"), True)
        for name in spec.accounts
    ]
    return Instruction(PROGRAM_ID, spec.encode(arguments), metas)


REGISTER = by(build.register_renter, first_nonce=1, caller=WALLET, wallet=WALLET)
WRAPPED = Purse.wrapped(WALLET, 1000, 2_039_280)


@dataclass(frozen=True)
class Draft:
    """An API's answer to a rent, and the wallet that pays."""

    instructions: Sequence[Instruction]
    rent: dict[str, Any]
    payer: Pubkey = WALLET
    price: int = 1
    version: MessageVersion = MessageVersion.V0

    def case(self) -> dict[str, Any]:
        """For the twin."""
        budget = ComputeBudget(units=200_000, priority_fee=self.price)
        made = unsigned(
            self.instructions, self.payer, Hash.default(), 1, version=self.version, budget=budget, signature_fee=5_000
        )
        answer = {"transaction": made.base64, "address": str(RENTAL), "listing": str(LISTING), "mint": str(MINT)}
        return {"rent": self.rent, "orderHash": HASH.hex(), "wallet": str(WALLET), "answer": answer}


def rent(*instructions: Instruction, **asked: Any) -> Draft:
    return Draft(instructions, RENT | asked)


SOL = {"pay": "SOL"}
SOUND = {
    "order": rent(opening()),
    "cheaper order": rent(opening(max_deposit=999)),
    "order of another version": replace(rent(opening()), version=MessageVersion.V1),
    "first order": rent(REGISTER, opening()),
    "order in SOL": rent(*WRAPPED.around(opening(NATIVE_MINT)), **SOL),
    "order with charges": rent(opening(), meter(5), maxCharges="5"),
    "order whose charges are not taken": rent(opening(), maxCharges="5"),
    "highest priority fee": replace(rent(opening()), price=10_000_000),
    "highest priority fee in a v1 message": replace(rent(opening()), price=10_000_000, version=MessageVersion.V1),
    "token account of one's own": rent(create_associated_token(WALLET, WALLET, MINT), opening()),
}
CLOSE_TO_OTHER = replace(
    WRAPPED,
    after=(
        Instruction(
            TOKEN_PROGRAM,
            b"\x09",
            [
                AccountMeta(WRAPPED.address, False, True),
                AccountMeta(OTHER, False, True),
                AccountMeta(WALLET, True, False),
            ],
        ),
    ),
)
APPROVE = Instruction(
    TOKEN_PROGRAM,
    b"\x04" + (1).to_bytes(8, "little"),
    [AccountMeta(VAULT, False, True), AccountMeta(OTHER, False, False), AccountMeta(WALLET, True, False)],
)
FOREIGN, ONE = "instruction of another program", "instruction"
ATTACKS = {
    "dearer": (rent(opening(max_deposit=1001)), "open_rental.order.max_deposit"),
    "longer": (rent(opening(duration=3601)), "open_rental.order.duration"),
    "another order": (rent(opening(order_hash=bytes(32))), "open_rental.order.order_hash"),
    "another kind": (rent(opening(kind=RentalKind.SPOT)), "open_rental.order.kind"),
    "ends with its command": (rent(opening(may_finish=True)), "open_rental.order.may_finish"),
    "another machine": (rent(opening(listing=OTHER)), "open_rental.listing"),
    "another renter": (rent(opening(renter=OTHER)), "open_rental.renter"),
    "another token": (rent(opening(OTHER)), "open_rental.payment_mint"),
    "another job": (rent(opening(rental=OTHER)), "open_rental.rental"),
    "another machine than was seen": (rent(opening(), specVersion=2), "open_rental.order.spec_version"),
    "another bid": (rent(opening(bid_usd=5), bidUsd=4), "open_rental.order.bid_usd"),
    "twice": (rent(opening(), opening()), ONE),
    "nothing": (rent(REGISTER), ONE),
    "something else": (rent(by(build.unstake, amount=1, owner=WALLET)), ONE),
    "something besides": (rent(opening(), by(build.unstake, amount=1, owner=WALLET)), ONE),
    "unknown instruction": (rent(opening(), Instruction(PROGRAM_ID, bytes(8), [])), ONE),
    "instruction with more data": (
        rent(Instruction(PROGRAM_ID, bytes(opening().data) + b"\0", opening().accounts)),
        ONE,
    ),
    "registers another": (
        rent(by(build.register_renter, first_nonce=1, caller=WALLET, wallet=OTHER), opening()),
        "register_renter.wallet",
    ),
    "charges unasked": (rent(opening(), meter(1)), ONE),
    "charges too high": (rent(opening(), meter(6), maxCharges="5"), "open_meter.cap"),
    "charges of another job": (rent(opening(), meter(5, rental=OTHER), maxCharges="5"), "open_meter.rental"),
    "another payer": (replace(rent(opening()), payer=OTHER), "fee payer"),
    "another signer": (rent(opening(), by(build.unstake, amount=1, owner=OTHER)), "signers"),
    "fee too high": (replace(rent(opening()), price=10_000_001), "priority fee"),
    "fee too high in a v1 message": (
        replace(rent(opening()), price=10_000_001, version=MessageVersion.V1),
        "priority fee",
    ),
    "transfer of SOL": (
        rent(opening(), transfer(TransferParams(from_pubkey=WALLET, to_pubkey=OTHER, lamports=1))),
        FOREIGN,
    ),
    "approval of tokens": (rent(opening(), APPROVE), FOREIGN),
    "token account of another": (rent(create_associated_token(WALLET, OTHER, MINT), opening()), FOREIGN),
    "SOL wrapped unasked": (rent(*WRAPPED.around(opening())), FOREIGN),
    "more SOL wrapped": (rent(*Purse.wrapped(WALLET, 10**9, 0).around(opening(NATIVE_MINT)), **SOL), FOREIGN),
    "wrapped twice": (
        rent(*WRAPPED.before, *Purse.wrapped(WALLET, 1000, 0).before, opening(NATIVE_MINT), *WRAPPED.after, **SOL),
        FOREIGN,
    ),
    "wrapped SOL unwrapped to another": (rent(*CLOSE_TO_OTHER.around(opening(NATIVE_MINT)), **SOL), FOREIGN),
    "wrapped SOL of another owner": (
        rent(
            WRAPPED.before[0],
            Instruction(TOKEN_PROGRAM, b"\x12" + bytes(OTHER), WRAPPED.before[1].accounts),
            opening(NATIVE_MINT),
            **SOL,
        ),
        FOREIGN,
    ),
    "unknown program": (rent(opening(), Instruction(OTHER, b"", [])), FOREIGN),
}


@pytest.fixture(scope="module")
def told(twin: Twin) -> dict[str, list[dict[str, str]]]:
    cases = {
        **{name: draft.case() for name, draft in SOUND.items()},
        **{name: draft.case() for name, (draft, _) in ATTACKS.items()},
    }
    return dict(zip(cases, twin(rents=list(cases.values()))["rents"], strict=True))


@pytest.mark.parametrize("name", SOUND)
def test_draft__what_was_asked_for__has_no_difference(told: dict[str, list[dict[str, str]]], name: str) -> None:
    assert told[name] == []


@pytest.mark.parametrize("name", ATTACKS)
def test_draft__anything_else__is_told_as_a_difference(told: dict[str, list[dict[str, str]]], name: str) -> None:
    assert ATTACKS[name][1] in {difference["what"] for difference in told[name]}
