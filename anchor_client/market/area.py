"""Base class of the client's areas, and their lazy import."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Generic, ParamSpec, Self, TypeVar, cast, overload

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.market.reads import MarketReader
from anchor_client.market.session import Session
from anchor_client.solana import transactions

Arguments = ParamSpec("Arguments")


class Area:
    """One area of the market. Methods that sign raise WalletNeeded without a wallet, and what sending raises."""

    def __init__(self, session: Session) -> None:
        self.session = session

    @property
    def reads(self) -> MarketReader:
        """Reads the present state of the chain."""
        return self.session.reads

    @property
    def program_id(self) -> Pubkey:
        """The market's program."""
        return self.session.reads.program_id

    @property
    def address(self) -> Pubkey:
        """The wallet's address. WalletNeeded."""
        return self.session.address

    def instruction(
        self, build: Callable[Arguments, Instruction], *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Instruction:
        """An instruction of the market's program by its generated builder."""
        return self.reads.instruction(build, *args, **kwargs)

    async def act(
        self, build: Callable[Arguments, Instruction], *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> transactions.Sent:
        """The same, signed with the wallet, sent and confirmed."""
        return await self.send(self.instruction(build, *args, **kwargs))

    async def send(self, *instructions: Instruction) -> transactions.Sent:
        """Signs with the wallet, sends and confirms."""
        return await self.session.send(instructions)


Actions = TypeVar("Actions", bound=Area)


class AreaOfMarket(Generic[Actions]):
    """An area as an attribute of Market, imported when first used: `rental` is RentalActions of `rental.actions`."""

    def __set_name__(self, owner: type[Area], name: str) -> None:
        self._name = name

    @overload
    def __get__(self, market: None, owner: type[Area]) -> Self: ...
    @overload
    def __get__(self, market: Area, owner: type[Area]) -> Actions: ...
    def __get__(self, market: Area | None, owner: type[Area]) -> Actions | Self:
        if market is None:
            return self
        module = import_module(f"anchor_client.market.{self._name}.actions")
        actions = cast(Actions, getattr(module, f"{self._name.capitalize()}Actions")(market.session))
        vars(market)[self._name] = actions
        return actions
