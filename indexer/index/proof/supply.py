"""The market token's supply against what the index says was burned.

Proven, for a mint whose issuer could mint no more when it was added: there is no token beyond what there was then, less
all that the vaults burned. Only shown: how much less there is, since strangers may burn their own and the supply does
not say whose tokens went; and where the issuer may mint, also how much more.
"""

from __future__ import annotations

from dataclasses import dataclass

from solders.pubkey import Pubkey
from solders.token.state import Mint
from sqlalchemy import Connection, Engine, delete, insert, select

from indexer.index.sources.head import Head
from indexer.models import Market, PaymentMint, SupplyCheck, Vault
from indexer.store.database import writing

BURNED_MINT = select(PaymentMint.c.mint).join(Market.table, Market.c.market_mint == PaymentMint.c.mint)


@dataclass(frozen=True, slots=True)
class MintSupply:
    """Base units of a mint at a slot that the index is complete up to."""

    mint: str
    baseline: int
    """When it was added as a payment mint."""
    burned: int
    """By its vaults since, as the index adds up."""
    supply: int
    fixed: bool
    """True where nobody could mint more from the beginning."""

    @property
    def elsewhere(self) -> int:
        """Base units that left the supply otherwise: burned by strangers; negative for what was minted beyond that."""
        return self.baseline - self.burned - self.supply

    @property
    def difference(self) -> str | None:
        """Contradiction found; None if the index may be right."""
        if not self.fixed or self.elsewhere >= 0:
            return None
        left = f"{self.baseline} when it was added less {self.burned} burned leave {self.baseline - self.burned}"
        return f"the supply is {self.supply}, but {left}"


def burned_mint(engine: Engine) -> Pubkey | None:
    """The mint whose supply is compared: the market token's, once it is a payment mint. No other is burned."""
    with engine.connect() as connection:
        mint = connection.execute(BURNED_MINT).scalar()
    return None if mint is None else Pubkey.from_string(mint)


def check_supply(engine: Engine, mint: Pubkey, data: bytes | None, head: Head, doubted: int | None) -> bool:
    """Compares a mint's account with an index that is complete up to `head`, and keeps what it found.

    False for a difference that was not `doubted` at an earlier slot: it changes nothing until then.
    """
    with writing(engine) as connection:
        found: int | None = None
        difference: str | None = "the account is not on the chain"
        if data is not None:
            found = Mint.from_bytes(data).supply
            difference = _supply(connection, str(mint), found).difference
        if difference is not None and (head.slot if doubted is None else doubted) >= head.slot:
            return False
        connection.execute(delete(SupplyCheck.table).where(SupplyCheck.c.mint == str(mint)))
        values = {"mint": str(mint), "slot": head.slot, "supply": found, "difference": difference}
        connection.execute(insert(SupplyCheck.table).values(**values))
    return True


def supplies(connection: Connection) -> list[MintSupply]:
    """Supplies as last compared."""
    checks = connection.execute(select(SupplyCheck.c.mint, SupplyCheck.c.supply)).all()
    return [_supply(connection, mint, supply) for mint, supply in checks if supply is not None]


def _supply(connection: Connection, mint: str, supply: int) -> MintSupply:
    """Burns are added up here, since SQLite cannot add 64 bits."""
    terms = select(PaymentMint.c.supply, PaymentMint.c.mintable).where(PaymentMint.c.mint == mint)
    baseline, mintable = connection.execute(terms).one()
    burned = sum(connection.execute(select(Vault.c.total_burned).where(Vault.c.mint == mint)).scalars())
    return MintSupply(mint, baseline, burned, supply, not mintable)
