"""A wallet's holdings of payment mints."""

from __future__ import annotations

from typing import Self

from anchor_client.balances import Balance
from anchor_client.resources.base import Address, BaseUnits, Resource, about


class Holding(Resource):
    """An amount of one mint."""

    mint: Address = about(description="SOL has the address of wrapped SOL's mint.")
    token: str = about(examples=["GPUM"])
    decimals: int
    amount: BaseUnits

    @classmethod
    def of(cls, balance: Balance) -> Self:
        """A balance in the API's form."""
        return cls.drawn_from(balance, token=balance.symbol, amount=balance.base_units)
