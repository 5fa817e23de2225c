"""Drafts what an action would send, without the key to sign it: for wallets elsewhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, NoReturn

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.errors import NothingToSend, WrongWallet
from anchor_client.market.session import Session
from anchor_client.orders.delivery import UnsignedOrder
from anchor_client.solana.wallet import Wallet

if TYPE_CHECKING:
    from anchor_client.market.client import Market
    from anchor_client.solana.transactions import MessageVersion


class Drafted(Exception):
    """An action of a drafting market has come as far as sending, or as handing over an order alone."""

    def __init__(self, instructions: Sequence[Instruction], orders: Sequence[UnsignedOrder] = ()) -> None:
        super().__init__()
        self.instructions = tuple(instructions)
        self.orders = tuple(orders)
        """Orders to hand over first."""


@dataclass(frozen=True, slots=True)
class _DraftSession(Session):
    """A session of a wallet whose key is elsewhere: actions end where they would send."""

    owner: Pubkey = field(kw_only=True)
    handed_over: list[UnsignedOrder] = field(kw_only=True, default_factory=list)

    @property
    def address(self) -> Pubkey:
        return self.owner

    async def send(
        self,
        instructions: Sequence[Instruction],
        *,
        signers: Sequence[Wallet] = (),
        version: MessageVersion | None = None,
    ) -> NoReturn:
        raise Drafted(instructions, self.handed_over)

    async def hand_over(self, order_hash: bytes, sealed: bytes, rental: Pubkey | None = None) -> None:
        self.handed_over.append(UnsignedOrder.now(self.owner, order_hash, sealed, rental))

    async def after_hand_over(self) -> NoReturn:
        raise Drafted((), self.handed_over)


def drafting(market: Market, owner: Pubkey) -> Market:
    """The market as `owner` would act on it if their key were here: what would send raises Drafted instead."""
    known = {item.name: getattr(market.session, item.name) for item in fields(Session) if item.init}
    return type(market)(_DraftSession(**known, owner=owner))


async def drafted(market: Market, owner: Pubkey, act: Callable[[Market], Awaitable[object]]) -> tuple[Instruction, ...]:
    """The instructions of the first transaction that `act` would send if `owner`'s key were here.

    Raises what the action raises before it sends, WrongWallet if another key has to sign as well, and NothingToSend.
    """
    try:
        await act(drafting(market, owner))
    except Drafted as draft:
        return signed_by(owner, draft.instructions)
    raise NothingToSend


def signed_by(owner: Pubkey, instructions: Sequence[Instruction]) -> tuple[Instruction, ...]:
    """The instructions, which `owner` alone can sign. WrongWallet."""
    for instruction in instructions:
        for account in instruction.accounts:
            if account.is_signer and account.pubkey != owner:
                raise WrongWallet(f"{account.pubkey} must sign this, not {owner}")
    return tuple(instructions)
